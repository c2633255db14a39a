// SPDX-License-Identifier: Apache-2.0
// One object of the scenario being read: every key is asked for once, with its range and with what stands in
// for it when it is absent. The section writes the echo as it goes, notes each assumed value, and at the end
// refuses the keys that nobody asked for. One fault gives one diagnostic: a value refused here is reported
// here, and callers skip the rules that would need it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "prism/scenario.h"
#include "scenario/json.h"
#include "scenario/spelling.h"

namespace prism::scenario {

/// What reading collects besides the values.
class Notes {
 public:
  static constexpr std::size_t most =
      20;  ///< diagnostics kept: enough to work on, and bounded work to place them

  void fault(Code code, std::string pointer, std::string message, std::string hint = {});
  bool full() const { return diagnostics.size() >= most; }
  void assume(std::string pointer, std::string origin, std::string source);
  /// A number as it is written, beside the one that stands in for it.
  void compare(std::string pointer, double written, const std::optional<double>& otherwise);

  std::vector<Diagnostic> diagnostics;
  std::vector<Scenario::Assumption> assumptions;  ///< values are filled in from the finished echo
  std::vector<std::string> own_numbers;  ///< pointers of those that are written and not the usual ones
  std::size_t faults = 0;                ///< all, also those beyond `most`
};

/// A value that stands in for an absent key, and why.
template <class T>
struct Assumed {
  T value;
  std::string origin = "default";
  std::string source = {};
};

/// A closed interval, or open below.
template <class T>
struct Limits {
  T low, high;
  bool low_excluded = false;
  Code above = Code::out_of_range;  ///< the fault of a value above `high`
};

using Names = std::span<const std::string_view>;

class Section {
 public:
  /// `value` may be null: the object is absent and everything in it is assumed or missing.
  /// Another type than an object is a fault; the section then behaves as if it were broken: nothing is read.
  Section(Notes& notes, const Json* value, std::string pointer);

  /// All of these: false if there is no usable value; why has been reported.
  bool integer(std::string_view key, std::int64_t& to, Limits<std::int64_t> limits,
               std::optional<Assumed<std::int64_t>> otherwise = {});
  bool real(std::string_view key, double& to, Limits<double> limits,
            std::optional<Assumed<double>> otherwise = {});
  bool boolean(std::string_view key, bool& to, std::optional<Assumed<bool>> otherwise = {});
  bool text(std::string_view key, std::string& to, std::size_t longest,
            std::optional<Assumed<std::string>> otherwise = {});
  /// One of `names`; `what` says what they name ("a schedule").
  bool name(std::string_view key, std::string& to, Names names, std::string_view what,
            std::optional<Assumed<std::string>> otherwise = {});

  /// The raw member, or null; marks the key as known.
  const Json* take(std::string_view key);
  /// As take, but an absent key is a fault.
  const Json* require(std::string_view key);
  /// Reports at finish() that one of these known keys is needed, unless a key stands there that nobody knows:
  /// most likely it was meant.
  void missing_one_of(Names keys, std::string_view what);
  /// Whether the key stands in the text.
  bool has(std::string_view key) const { return value_ && find_member(*value_, key); }

  /// Puts a value that does not come from one key of this object into the echo.
  void put(std::string_view key, Json value) { echo[std::string(key)] = std::move(value); }
  /// The same for a value that the user did not write.
  void put_assumed(std::string_view key, Json value, std::string origin, std::string source = {});
  /// Keeps the place of a key in the echo for a value that is derived later.
  void reserve(std::string_view key) { echo[std::string(key)] = nullptr; }

  /// A key of this object that another rule refuses.
  void fault_at(std::string_view key, Code code, std::string message, std::string hint = {});
  void fault(Code code, std::string message, std::string hint = {});

  /// Missing and unknown keys, last because a misspelt key is both and must be one fault.
  void finish();

  bool broken() const { return broken_; }
  std::string at(std::string_view key) const { return child(pointer_, key); }
  const std::string& pointer() const { return pointer_; }
  Notes& notes() { return *notes_; }

  Json echo = Json::object();

 private:
  /// The member; or null after taking note of the absent key. Sets `assumed`, or reports that the key is
  /// missing.
  template <class T>
  const Json* begin(std::string_view key, const std::optional<Assumed<T>>& otherwise, T& to, bool& assumed);

  Notes* notes_;
  const Json* value_;
  std::string pointer_;
  bool broken_ = false;
  std::vector<std::string_view> known_;
  struct Missing {
    std::vector<std::string_view> keys;
    std::string message;
  };
  std::vector<Missing> missing_;
};

// Checks of one value, for lists: each reports its own fault.
bool read_integer(Notes& notes, const Json& value, const std::string& pointer, Limits<std::int64_t> limits,
                  std::int64_t& to);
bool read_real(Notes& notes, const Json& value, const std::string& pointer, Limits<double> limits,
               double& to);
bool read_name(Notes& notes, const Json& value, const std::string& pointer, Names names,
               std::string_view what, std::string& to);
/// An array of at most `most` items.
bool is_array(Notes& notes, const Json& value, const std::string& pointer, std::size_t least,
              std::size_t most);

/// `the text "abc"`, `12`, `an object`: how a message names what was found.
std::string described(const Json& value);
/// The number with as few digits as it has.
std::string shown(double value);
std::string shown(std::int64_t value);

}  // namespace prism::scenario
