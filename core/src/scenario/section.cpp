// SPDX-License-Identifier: Apache-2.0
#include "scenario/section.h"

#include <algorithm>
#include <utility>

namespace prism::scenario {
namespace {

constexpr double exact_integers = 9007199254740992.0;  // 2^53

bool has_control_character(const std::string& text) {
  // C0, DEL, and C1 (in UTF-8: C2 80 to C2 9F); also the two Unicode line separators and the bidirectional
  // overrides, which let shown text lie about its order.
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto a = static_cast<unsigned char>(text[i]);
    const auto b = static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : 0);
    const auto c = static_cast<unsigned char>(i + 2 < text.size() ? text[i + 2] : 0);
    if (a < 0x20 || a == 0x7F) return true;
    if (a == 0xC2 && b < 0xA0) return true;
    if (a == 0xE2 && b == 0x80 && c >= 0xA8 && c <= 0xAE) return true;
    if (a == 0xE2 && b == 0x81 && c >= 0xA6 && c <= 0xA9) return true;
  }
  return false;
}

std::size_t characters(const std::string& text) {
  std::size_t n = 0;
  for (char c : text) n += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  return n;
}

template <class T>
std::string range_text(const Limits<T>& l) {
  if (l.low_excluded) return "above " + shown(l.low) + " and at most " + shown(l.high);
  return "from " + shown(l.low) + " to " + shown(l.high);
}

}  // namespace

void Notes::fault(Code code, std::string pointer, std::string message, std::string hint) {
  ++faults;
  if (!full()) diagnostics.push_back({code, std::move(pointer), std::move(message), std::move(hint)});
}

void Notes::assume(std::string pointer, std::string origin, std::string source) {
  assumptions.push_back({std::move(pointer), {}, std::move(origin), std::move(source)});
}

void Notes::compare(std::string pointer, double written, const std::optional<double>& otherwise) {
  if (written != otherwise) own_numbers.push_back(std::move(pointer));
}

std::string shown(double value) { return number(value).dump(); }
std::string shown(std::int64_t value) { return std::to_string(value); }

std::string described(const Json& value) {
  if (value.is_string()) return "the text " + in_quotes(excerpt(value.get_ref<const std::string&>()));
  if (value.is_object()) return "an object";
  if (value.is_array()) return "a list";
  if (value.is_number_float()) return shown(value.get<double>());
  return value.dump();
}

bool read_integer(Notes& notes, const Json& value, const std::string& pointer, Limits<std::int64_t> limits,
                  std::int64_t& to) {
  if (!value.is_number()) {
    notes.fault(Code::wrong_type, pointer, "expected a whole number, found " + described(value),
                value.is_string() ? "numbers are written without quotation marks" : "");
    return false;
  }
  std::int64_t n = 0;
  bool representable = true, above = false;
  if (value.is_number_float()) {
    const double x = value.get<double>();
    representable = x >= -exact_integers && x <= exact_integers;
    above = x > 0;
    if (representable) {
      n = static_cast<std::int64_t>(x);
      if (static_cast<double>(n) != x) {
        notes.fault(Code::wrong_type, pointer, "expected a whole number, found " + described(value));
        return false;
      }
    }
  } else if (value.is_number_unsigned()) {
    representable = value.get<std::uint64_t>() <= static_cast<std::uint64_t>(exact_integers);
    above = true;
    if (representable) n = value.get<std::int64_t>();
  } else {
    n = value.get<std::int64_t>();
  }
  if (!representable || n < limits.low || n > limits.high) {
    above = representable ? n > limits.high : above;
    notes.fault(above ? limits.above : Code::out_of_range, pointer,
                "expected a whole number " + range_text(limits) + ", found " + described(value));
    return false;
  }
  to = n;
  return true;
}

bool read_real(Notes& notes, const Json& value, const std::string& pointer, Limits<double> limits,
               double& to) {
  if (!value.is_number()) {
    notes.fault(Code::wrong_type, pointer, "expected a number, found " + described(value),
                value.is_string() ? "numbers are written without quotation marks" : "");
    return false;
  }
  const double x = value.get<double>();
  if (!(limits.low_excluded ? x > limits.low : x >= limits.low) || !(x <= limits.high)) {
    notes.fault(Code::out_of_range, pointer,
                "expected a number " + range_text(limits) + ", found " + described(value));
    return false;
  }
  to = x;
  return true;
}

bool read_name(Notes& notes, const Json& value, const std::string& pointer, Names names,
               std::string_view what, std::string& to) {
  if (!value.is_string()) {
    notes.fault(Code::wrong_type, pointer,
                "expected the name of " + std::string(what) + ", found " + described(value),
                "known here: " + listed(names));
    return false;
  }
  const std::string& given = value.get_ref<const std::string&>();
  if (std::find(names.begin(), names.end(), given) == names.end()) {
    notes.fault(Code::unknown_name, pointer,
                in_quotes(excerpt(given)) + " is not the name of " + std::string(what),
                suggestion(given, names));
    return false;
  }
  to = given;
  return true;
}

bool is_array(Notes& notes, const Json& value, const std::string& pointer, std::size_t least,
              std::size_t most) {
  if (!value.is_array()) {
    notes.fault(Code::wrong_type, pointer, "expected a list, found " + described(value));
    return false;
  }
  if (value.size() < least || value.size() > most) {
    notes.fault(Code::out_of_range, pointer,
                "expected a list of " + std::to_string(least) + " to " + std::to_string(most) +
                    " items, found " + std::to_string(value.size()));
    return false;
  }
  return true;
}

Section::Section(Notes& notes, const Json* value, std::string pointer)
    : notes_(&notes), value_(value), pointer_(std::move(pointer)) {
  if (value_ && !value_->is_object()) {
    notes_->fault(Code::wrong_type, pointer_, "expected an object, found " + described(*value_));
    value_ = nullptr;
    broken_ = true;
  }
}

const Json* Section::take(std::string_view key) {
  known_.push_back(key);
  return value_ ? find_member(*value_, key) : nullptr;
}

const Json* Section::require(std::string_view key) {
  const Json* value = take(key);
  if (!value && !broken_) missing_.push_back({{key}, "the key " + in_quotes(key) + " is missing"});
  return value;
}

void Section::missing_one_of(Names keys, std::string_view what) {
  if (!broken_) missing_.push_back({{keys.begin(), keys.end()}, std::string(what)});
}

void Section::put_assumed(std::string_view key, Json value, std::string origin, std::string source) {
  put(key, std::move(value));
  notes_->assume(at(key), std::move(origin), std::move(source));
}

void Section::fault_at(std::string_view key, Code code, std::string message, std::string hint) {
  notes_->fault(code, has(key) ? at(key) : pointer_, std::move(message), std::move(hint));
}
void Section::fault(Code code, std::string message, std::string hint) {
  notes_->fault(code, pointer_, std::move(message), std::move(hint));
}

template <class T>
const Json* Section::begin(std::string_view key, const std::optional<Assumed<T>>& otherwise, T& to,
                           bool& assumed) {
  assumed = otherwise && !broken_ && !has(key);
  if (!assumed) return require(key);
  take(key);
  to = otherwise->value;
  notes_->assume(at(key), otherwise->origin, otherwise->source);
  return nullptr;
}

bool Section::integer(std::string_view key, std::int64_t& to, Limits<std::int64_t> limits,
                      std::optional<Assumed<std::int64_t>> otherwise) {
  bool assumed = false;
  const Json* value = begin(key, otherwise, to, assumed);
  if (value ? !read_integer(*notes_, *value, at(key), limits, to) : !assumed) return false;
  put(key, to);
  return true;
}

bool Section::real(std::string_view key, double& to, Limits<double> limits,
                   std::optional<Assumed<double>> otherwise) {
  bool assumed = false;
  const Json* value = begin(key, otherwise, to, assumed);
  if (value ? !read_real(*notes_, *value, at(key), limits, to) : !assumed) return false;
  if (value) notes_->compare(at(key), to, otherwise ? std::optional(otherwise->value) : std::nullopt);
  put(key, number(to));
  return true;
}

bool Section::boolean(std::string_view key, bool& to, std::optional<Assumed<bool>> otherwise) {
  bool assumed = false;
  const Json* value = begin(key, otherwise, to, assumed);
  if (value && !value->is_boolean()) {
    notes_->fault(Code::wrong_type, at(key), "expected true or false, found " + described(*value));
    return false;
  }
  if (!value && !assumed) return false;
  if (value) to = value->get<bool>();
  put(key, to);
  return true;
}

bool Section::text(std::string_view key, std::string& to, std::size_t longest,
                   std::optional<Assumed<std::string>> otherwise) {
  bool assumed = false;
  const Json* value = begin(key, otherwise, to, assumed);
  if (value) {
    if (!value->is_string()) {
      notes_->fault(Code::wrong_type, at(key), "expected text, found " + described(*value));
      return false;
    }
    const std::string& given = value->get_ref<const std::string&>();
    if (characters(given) > longest) {
      notes_->fault(Code::out_of_range, at(key),
                    "the text has " + std::to_string(characters(given)) + " characters, at most " +
                        std::to_string(longest) + " are allowed");
      return false;
    }
    if (has_control_character(given)) {
      notes_->fault(Code::out_of_range, at(key), "the text holds a control character",
                    "only printable characters are allowed");
      return false;
    }
    to = given;
  } else if (!assumed) {
    return false;
  }
  put(key, to);
  return true;
}

bool Section::name(std::string_view key, std::string& to, Names names, std::string_view what,
                   std::optional<Assumed<std::string>> otherwise) {
  bool assumed = false;
  const Json* value = begin(key, otherwise, to, assumed);
  if (value ? !read_name(*notes_, *value, at(key), names, what, to) : !assumed) return false;
  put(key, to);
  return true;
}

void Section::finish() {
  if (value_) {
    for (const auto& member : value_->get_ref<const Json::object_t&>()) {
      const std::string& key = member.first;
      if (std::find(known_.begin(), known_.end(), key) != known_.end()) continue;
      if (notes_->full()) {  // a million unknown keys need no suggestions
        ++notes_->faults;
        continue;
      }
      notes_->fault(Code::unknown_key, at(key), in_quotes(excerpt(key)) + " is not a key of this object",
                    suggestion(key, known_));
      const std::string_view meant = nearest(key, known_);
      const auto explained = [&](const Missing& m) { return m.keys.size() > 1 || m.keys.front() == meant; };
      missing_.erase(std::remove_if(missing_.begin(), missing_.end(), explained), missing_.end());
    }
  }
  for (Missing& m : missing_) notes_->fault(Code::missing_key, pointer_, std::move(m.message));
}

}  // namespace prism::scenario
