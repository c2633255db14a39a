// SPDX-License-Identifier: Apache-2.0
#include "parts.h"

#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <iterator>
#include <span>
#include <stdexcept>

#include "output.h"
#include "prism/numerics.h"

namespace prism::cli {
namespace {

constexpr std::string_view magic = "prism part 1\n";
constexpr std::size_t digest_size = 64;

void put(std::string& to, std::uint64_t value) {
  for (int i = 0; i < 8; ++i) to.push_back(static_cast<char>(value >> (8 * i)));
}
void put(std::string& to, std::string_view text) {
  put(to, static_cast<std::uint64_t>(text.size()));
  to.append(text);
}

/// Takes a file apart; every length is checked against what is left.
class Reader {
 public:
  explicit Reader(std::string_view rest) : rest_(rest) {}
  std::uint64_t number() {
    const std::string_view bytes = take(8);
    std::uint64_t value = 0;
    for (int i = 0; i < 8; ++i)
      value |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[static_cast<std::size_t>(i)]))
               << (8 * i);
    return value;
  }
  std::string_view text() { return take(number()); }
  bool done() const { return rest_.empty(); }

 private:
  std::string_view take(std::uint64_t size) {
    if (size > rest_.size()) throw std::runtime_error("it is cut short");
    const std::string_view taken = rest_.substr(0, static_cast<std::size_t>(size));
    rest_.remove_prefix(static_cast<std::size_t>(size));
    return taken;
  }
  std::string_view rest_;
};

std::string digest_of(std::string_view text) {
  Sha256 sha;
  sha.update(text);
  return sha.hex_digest();
}

}  // namespace

std::pair<std::int64_t, std::int64_t> block_range(const std::string& text, std::int64_t count) {
  std::int64_t first = 0, last = 0;
  const char* end = text.data() + text.size();
  const auto colon = std::from_chars(text.data(), end, first);
  if (colon.ec == std::errc() && colon.ptr != end && *colon.ptr == ':') {
    const auto stop = std::from_chars(colon.ptr + 1, end, last);
    if (stop.ec == std::errc() && stop.ptr == end && first >= 0 && first < last && last <= count)
      return {first, last};
  }
  throw std::runtime_error("--blocks takes A:B with 0 <= A < B <= " + std::to_string(count) +
                           ", the blocks of " + std::to_string(block_trials) +
                           " trials that this run has; found " + text);
}

void write_part(const std::string& path, const PartFile& part) {
  std::string body(magic);
  put(body, part.engine);
  put(body, part.scenario);
  put(body, static_cast<std::uint64_t>(part.first));
  put(body, static_cast<std::uint64_t>(part.blocks.size()));
  for (const auto& block : part.blocks)
    put(body, std::string_view(reinterpret_cast<const char*>(block.data()), block.size()));
  body += digest_of(body);
  errno = 0;
  std::ofstream out(path, std::ios::binary);
  out << body;
  out.close();
  if (out.fail()) throw std::runtime_error(cannot_write(path));
}

PartFile read_part(const std::string& path) {
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + path + ": " + std::strerror(errno));
  const std::string file{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  const auto unusable = [&](const std::string& why) {
    return std::runtime_error(path + " is no usable part: " + why);
  };
  if (!file.starts_with(magic)) throw unusable("it does not start with \"prism part 1\"");
  if (file.size() < magic.size() + digest_size) throw unusable("it is cut short");
  const std::string_view body = std::string_view(file).substr(0, file.size() - digest_size);
  if (digest_of(body) != std::string_view(file).substr(body.size()))
    throw unusable("its contents do not match their checksum (damaged or cut short)");
  Reader reader(body.substr(magic.size()));
  PartFile part;
  part.engine = reader.text();
  part.scenario = reader.text();
  part.first = static_cast<std::int64_t>(reader.number());
  for (std::uint64_t n = reader.number(); n > 0; --n) {
    const std::string_view bytes = reader.text();
    part.blocks.emplace_back(bytes.size());
    std::memcpy(part.blocks.back().data(), bytes.data(), bytes.size());
  }
  return part;
}

}  // namespace prism::cli
