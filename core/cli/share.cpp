// SPDX-License-Identifier: Apache-2.0
// prism link, prism open
#include <cerrno>
#include <cstring>
#include <iostream>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "format.h"
#include "json_text.h"
#include "link.h"
#include "runner.h"

namespace prism::cli {
namespace {

using nlohmann::ordered_json;

std::string digest_of(Job& job, unsigned threads) {
  ProgressLine line;
  const Finished parts = run_job(job, threads, [&](double share) { line.show(share); });
  const auto result = ordered_json::parse(result_json(job, parts.trials, parts.attribution, parts.check));
  return result["digest"];
}

}  // namespace

int link(const LinkOptions& options) {
  const auto input = read_input(options.file, options.overrides, false);
  if (!input) return refused;
  auto job = prepare(*input, false);
  if (!job) return refused;
  const Link content{std::string(engine_version), options.no_run ? "" : digest_of(*job, options.threads),
                     scenario_text(*input)};
  const auto written = write_link(content);
  if (const auto* fault = std::get_if<LinkFault>(&written)) {
    print_fault(fault->code, fault->message, false);
    return refused;
  }
  std::cout << options.page << std::get<std::string>(written) << "\n";
  return done;
}

int open(const OpenOptions& options) {
  std::string text = options.link;
  if (text == "-") {
    const auto given = read_text("-");
    if (!given) {
      print_fault("unreadable", std::string("cannot read standard input: ") + std::strerror(errno),
                  options.json);
      return refused;
    }
    text = *given;
  }
  const auto read = read_link(text);
  if (const auto* fault = std::get_if<LinkFault>(&read)) {
    print_fault(fault->code, fault->message, options.json);
    return refused;
  }
  const Link& link = std::get<Link>(read);
  if (!options.json) std::cout << printable(indented(link.scenario), true) << "\n" << std::flush;

  std::string digest;
  if (!options.no_run) {
    const Input input{"link", link.scenario, link.scenario, {}};
    auto job = prepare(input, options.json);
    if (!job) return refused;
    digest = digest_of(*job, options.threads);
  }
  const bool compared = !digest.empty() && !link.digest.empty();
  const bool reproduced = compared && digest == link.digest;
  const int code = compared && !reproduced ? refused : done;

  if (options.json) {
    ordered_json out = {{"engine", link.engine},
                        {"digest", link.digest},
                        {"this_engine", engine_version},
                        {"this_digest", nullptr},
                        {"reproduced", nullptr}};
    if (!digest.empty()) out["this_digest"] = digest;
    if (compared) out["reproduced"] = reproduced;
    std::string text_out = out.dump();
    text_out.pop_back();  // the scenario goes in as text: as it was written
    std::cout << text_out << ",\"scenario\":" << link.scenario << "}\n";
    return code;
  }
  if (reproduced) {
    std::cerr << "reproduced exactly: digest " << digest << "\n";
  } else if (compared) {
    std::cerr << "not reproduced: the link says digest " << link.digest << " with engine " << link.engine
              << ", this run gave " << digest << " with engine " << engine_version << "\n";
  } else if (link.digest.empty()) {
    std::cerr << "the link holds no digest to compare with"
              << (digest.empty() ? "" : "; this run gave " + digest) << "\n";
  } else {
    std::cerr << "not run; the link says digest " << link.digest << " with engine " << link.engine << "\n";
  }
  return code;
}

}  // namespace prism::cli
