// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <nlohmann/json.hpp>

#include "prism/study_report.h"
#include "scenario/json.h"

namespace prism {
namespace {

using nlohmann::ordered_json;

/// Takes members out of the question; what is left at the end is unknown.
class Members {
 public:
  explicit Members(ordered_json json) : json_(std::move(json)) {}

  template <class T>
  void take(const char* key, T& to) {
    if (!json_.contains(key)) return;
    try {
      to = json_.at(key).get<T>();
    } catch (const ordered_json::exception&) {
      fault(key, "\"" + std::string(key) + "\" is of another type than it should be");
    }
    json_.erase(key);
  }

  void take_layouts(std::vector<NamedChange>& to) {
    if (!json_.contains("layouts")) return;
    for (const ordered_json& layout : json_["layouts"]) {
      if (!layout.is_object()) {
        fault("layouts", "a layout is an object with a name and members to set");
        return;
      }
      NamedChange change;
      for (const auto& [key, value] : layout.items()) {
        if (key == "name" && value.is_string())
          change.name = value.get<std::string>();
        else
          change.edits.push_back({key, value.is_null() ? "" : value.dump()});
      }
      to.push_back(std::move(change));
    }
    json_.erase("layouts");
  }

  void take_values(std::vector<std::string>& to) {
    if (!json_.contains("values")) return;
    for (const ordered_json& value : json_["values"]) to.push_back(value.dump());
    json_.erase("values");
  }

  std::vector<Diagnostic> finish() {
    for (const auto& [key, value] : json_.items())
      faults_.push_back({Code::unknown_key, "/" + key, "a study knows no \"" + key + "\"", ""});
    return std::move(faults_);
  }

  void fault(const std::string& key, std::string message) {
    faults_.push_back({Code::wrong_type, "/" + key, std::move(message), ""});
  }

 private:
  ordered_json json_;
  std::vector<Diagnostic> faults_;
};

}  // namespace

Result<StudyQuestion> read_question(std::string_view text) {
  using R = Result<StudyQuestion>;
  Result<ordered_json> json = scenario::parse_json(text);
  if (!json || !json->is_object())
    return R::fault({Code::syntax, "", "a study's question is a JSON object", ""});
  Members members(std::move(*json));
  StudyQuestion q;
  std::string name;
  members.take("study", name);
  const auto found = std::find(study_names.begin(), study_names.end(), name);
  if (found == study_names.end())
    return R::fault({Code::unknown_name, "/study", "no study is named \"" + name + "\"", ""});
  q.kind = static_cast<StudyKind>(found - study_names.begin());
  members.take("faster", q.faster);
  members.take("slow", q.slow);
  members.take("unit", q.unit);
  members.take("count", q.count);
  members.take("gpus", q.gpus);
  members.take("strong", q.strong);
  members.take("slow_down", q.slow_down);
  members.take("most", q.most);
  members.take("times", q.times);
  members.take("faster_compute", q.faster_compute);
  members.take("pointer", q.pointer);
  members.take_layouts(q.layouts);
  members.take_values(q.values);
  auto faults = members.finish();
  if (!faults.empty()) return R::faults(std::move(faults));
  return R::of(std::move(q));
}

}  // namespace prism
