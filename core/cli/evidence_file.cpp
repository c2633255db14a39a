// SPDX-License-Identifier: Apache-2.0
#include "evidence_file.h"

#include <zlib.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <vector>

namespace prism::cli {
namespace {

constexpr int gzip_window = 15 + 16;  // zlib: largest window, gzip header
constexpr std::size_t piece_size = 1 << 18;

/// gzip files may be several members one after the other.
class Gunzip {
 public:
  Gunzip() {
    if (inflateInit2(&z_, gzip_window) != Z_OK) throw std::runtime_error("zlib refuses to start");
  }
  ~Gunzip() { inflateEnd(&z_); }
  Gunzip(const Gunzip&) = delete;
  Gunzip& operator=(const Gunzip&) = delete;

  /// False once the data is damaged or `take` wants no more.
  bool feed(std::string_view bytes, const std::function<bool(std::string_view)>& take) {
    z_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    z_.avail_in = static_cast<uInt>(bytes.size());
    while (z_.avail_in > 0) {
      if (ended_) {
        inflateReset(&z_);
        ended_ = false;
      }
      z_.next_out = out_.data();
      z_.avail_out = static_cast<uInt>(out_.size());
      const int state = inflate(&z_, Z_NO_FLUSH);
      if (state != Z_OK && state != Z_STREAM_END && state != Z_BUF_ERROR) return damaged_ = true, false;
      const std::size_t n = out_.size() - z_.avail_out;
      if (n > 0 && !take({reinterpret_cast<const char*>(out_.data()), n})) return false;
      ended_ = state == Z_STREAM_END;
      if (state == Z_BUF_ERROR && n == 0) break;
    }
    return true;
  }
  bool damaged() const { return damaged_; }
  bool complete() const { return ended_; }

 private:
  z_stream z_{};
  std::vector<Bytef> out_ = std::vector<Bytef>(piece_size);
  bool ended_ = false, damaged_ = false;
};

std::string gigabytes(std::int64_t bytes) { return std::to_string(bytes >> 20) + " MiB"; }

}  // namespace

std::optional<std::string> read_pieces(const std::string& file,
                                       const std::function<bool(std::string_view)>& take,
                                       const FileLimits& limits) {
  struct Close {
    void operator()(std::FILE* f) const {
      if (f != stdin) std::fclose(f);
    }
  };
  const std::string name = file == "-" ? "standard input" : file;
  errno = 0;
  const std::unique_ptr<std::FILE, Close> stream(file == "-" ? stdin : std::fopen(file.c_str(), "rb"));
  if (!stream) return "cannot read " + name + ": " + std::strerror(errno);

  std::vector<char> buffer(piece_size);
  std::unique_ptr<Gunzip> gunzip;
  std::int64_t stored = 0, inflated = 0;
  bool too_large = false;
  const auto counted = [&](std::string_view piece) {
    inflated += static_cast<std::int64_t>(piece.size());
    too_large = inflated > limits.inflated;
    return !too_large && take(piece);
  };
  while (const std::size_t n = std::fread(buffer.data(), 1, buffer.size(), stream.get())) {
    const std::string_view piece(buffer.data(), n);
    if (stored == 0 && n >= 2 && piece[0] == '\x1f' && piece[1] == '\x8b')
      gunzip = std::make_unique<Gunzip>();
    stored += static_cast<std::int64_t>(n);
    if (stored > limits.stored) return name + " is larger than " + gigabytes(limits.stored);
    const bool go_on = gunzip ? gunzip->feed(piece, counted) : counted(piece);
    if (too_large) return name + " inflates to more than " + gigabytes(limits.inflated);
    if (gunzip && gunzip->damaged())
      return name + " is damaged: its gzip data cannot be inflated after " + std::to_string(inflated) +
             " bytes";
    if (!go_on) return std::nullopt;
  }
  if (std::ferror(stream.get())) return "cannot read " + name + ": " + std::strerror(errno);
  if (gunzip && !gunzip->complete())
    return name + " is cut off: its gzip data ends early, after " + std::to_string(inflated) +
           " inflated bytes";
  return std::nullopt;
}

}  // namespace prism::cli
