// SPDX-License-Identifier: Apache-2.0
#include "link.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "json_text.h"
#include "link_payload.h"
#include "prism/numerics.h"

namespace prism::cli {
namespace {

constexpr std::string_view format_version = "1";
constexpr std::size_t largest_payload = 1'400'000;  // characters
constexpr std::size_t largest_envelope = 1 << 20;   // bytes
constexpr std::size_t length_digits = 6, check_digits = 8;

constexpr std::string_view digits36 = "0123456789abcdefghijklmnopqrstuvwxyz";
constexpr std::string_view digits16 = digits36.substr(0, 16);
constexpr std::string_view digits10 = digits36.substr(0, 10);

LinkFault not_a_link() {
  return {"not_a_link", "This is not a Prism link: it should contain \"#v1.\" followed by the scenario."};
}
LinkFault newer(std::string_view version) {
  const std::string shown =
      version.size() > 9 ? std::string(version.substr(0, 9)) + "…" : std::string(version);
  return {"newer", "This link was made by a newer Prism (link format " + shown + "); this one reads format " +
                       std::string(format_version) + "."};
}
LinkFault truncated() { return {"truncated", "This link is cut off. Copy the whole link."}; }
LinkFault truncated(std::size_t arrived, std::size_t all) {
  return {"truncated", "This link is cut off: " + std::to_string(arrived) + " of " + std::to_string(all) +
                           " characters arrived. Copy the whole link."};
}
LinkFault damaged() {
  return {"damaged",
          "This link is damaged: its check does not match its content. Copy it again from where it came."};
}
LinkFault too_large() { return {"too_large", "This link is refused: its content is larger than 1 MB."}; }
LinkFault unsafe_text() {
  return {"unsafe_text", "This link is refused: its text contains control characters."};
}

std::string check_of(std::string_view payload) {
  Sha256 sha;
  sha.update(payload);
  return sha.hex_digest().substr(0, check_digits);
}

std::string base36(std::size_t value) {
  std::string out;
  do out.insert(out.begin(), digits36[value % 36]);
  while ((value /= 36) > 0);
  return out;
}

/// Takes the longest run of `alphabet` from the front of `rest`.
std::string_view take(std::string_view& rest, std::string_view alphabet) {
  const std::string_view run = rest.substr(0, std::min(rest.find_first_not_of(alphabet), rest.size()));
  rest.remove_prefix(run.size());
  return run;
}

bool take(std::string_view& rest, char c) {
  if (rest.empty() || rest.front() != c) return false;
  rest.remove_prefix(1);
  return true;
}

struct Header {
  std::size_t length;
  std::string_view check;
};
/// ".<length>-<check>." from the front of `rest`.
std::variant<Header, LinkFault> take_header(std::string_view& rest) {
  const auto fault = [&] { return rest.empty() ? truncated() : damaged(); };
  if (!take(rest, '.')) return fault();
  const std::string_view length = take(rest, digits36);
  if (length.size() > length_digits || (!length.empty() && length.front() == '0')) return damaged();
  if (length.empty() || !take(rest, '-')) return fault();
  const std::string_view check = take(rest, digits16);
  if (check.size() > check_digits) return damaged();
  if (check.size() < check_digits || !take(rest, '.')) return fault();
  Header header{0, check};
  for (const char c : length) header.length = header.length * 36 + digits36.find(c);
  return header;
}

/// Hears every key and string of a document, and how deep it goes, without recursion: depth is the sender's
/// choice.
class TextCheck : public nlohmann::json_sax<nlohmann::json> {
 public:
  bool safe = true;  ///< no control character

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t& text) override { return hear(text); }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override { return ++depth_ <= deepest; }
  bool key(string_t& text) override { return hear(text); }
  bool end_object() override { return --depth_ >= 0; }
  bool start_array(std::size_t) override { return ++depth_ <= deepest; }
  bool end_array() override { return --depth_ >= 0; }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
    return false;
  }

 private:
  bool hear(std::string_view text) {
    for (std::size_t i = 0; i < text.size(); ++i) {
      const auto byte = [&](std::size_t at) {
        return at < text.size() ? static_cast<unsigned char>(text[at]) : 0u;
      };
      if (byte(i) < 0x20 || byte(i) == 0x7f) safe = false;
      if (byte(i) == 0xc2 && byte(i + 1) >= 0x80 && byte(i + 1) <= 0x9f) safe = false;  // U+0080 to U+009F
      // U+202A to U+202E and U+2066 to U+2069 turn the direction of what follows
      if (byte(i) == 0xe2 && byte(i + 1) == 0x80 && byte(i + 2) >= 0xaa && byte(i + 2) <= 0xae) safe = false;
      if (byte(i) == 0xe2 && byte(i + 1) == 0x81 && byte(i + 2) >= 0xa6 && byte(i + 2) <= 0xa9) safe = false;
    }
    return true;
  }

  static constexpr int deepest = 64;  // as for any scenario
  int depth_ = 0;
};

std::variant<Link, LinkFault> read_envelope(std::string_view rest) {
  const auto take_text = [&](std::string_view expected) {
    if (rest.substr(0, expected.size()) != expected) return false;
    rest.remove_prefix(expected.size());
    return true;
  };
  Link link;
  if (!take_text("{\"engine\":\"")) return damaged();
  link.engine = take(rest, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz.+-");
  if (link.engine.empty() || link.engine.size() > 32 || !take_text("\",\"digest\":\"")) return damaged();
  link.digest = take(rest, digits16);
  if ((!link.digest.empty() && link.digest.size() != 16) || !take_text("\",\"scenario\":")) return damaged();
  if (rest.size() < 3 || rest.front() != '{' || rest.back() != '}') return damaged();
  link.scenario = rest.substr(0, rest.size() - 1);
  TextCheck check;
  if (!nlohmann::json::sax_parse(link.scenario, &check)) return damaged();
  if (!check.safe) return unsafe_text();
  return link;
}

}  // namespace

std::variant<std::string, LinkFault> write_link(const Link& link) {
  const std::string envelope = "{\"engine\":\"" + link.engine + "\",\"digest\":\"" + link.digest +
                               "\",\"scenario\":" + compact(link.scenario) + "}";
  if (envelope.size() > largest_envelope) return too_large();
  TextCheck text;
  if (nlohmann::json::sax_parse(link.scenario, &text) && !text.safe)
    return unsafe_text();  // no reader would open it
  const std::string payload = to_base64url(deflate_raw(envelope));
  if (payload.size() > largest_payload) return too_large();
  return "#v" + std::string(format_version) + "." + base36(payload.size()) + "-" + check_of(payload) + "." +
         payload;
}

std::variant<Link, LinkFault> read_link(std::string_view given) {
  std::string text(given);
  text.erase(
      std::remove_if(text.begin(), text.end(), [](char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }),
      text.end());
  std::string_view rest = text;
  if (const std::size_t hash = rest.find('#'); hash != std::string_view::npos) rest.remove_prefix(hash + 1);

  if (!take(rest, 'v')) return not_a_link();
  const std::string_view version = take(rest, digits10);
  if (version.empty()) return not_a_link();
  if (version.front() == '0') return damaged();
  if (version != format_version) return newer(version);

  const auto header = take_header(rest);
  if (const auto* fault = std::get_if<LinkFault>(&header)) return *fault;
  const auto& [length, check] = std::get<Header>(header);
  if (length > largest_payload) return too_large();
  if (rest.size() < length) return truncated(rest.size(), length);
  if (rest.size() > length || check_of(rest) != check) return damaged();

  const auto packed = from_base64url(rest);
  if (!packed) return damaged();
  const Inflated inflated = inflate_raw(*packed, largest_envelope);
  if (inflated.status == Inflated::too_large) return too_large();
  if (inflated.status == Inflated::damaged) return damaged();
  return read_envelope(inflated.text);
}

}  // namespace prism::cli
