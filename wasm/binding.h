// SPDX-License-Identifier: Apache-2.0
// What both modules need to meet JavaScript.
#pragma once

#include <emscripten/bind.h>
#include <emscripten/val.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>
#include <vector>

inline emscripten::val view(std::vector<std::byte>& bytes) {
  return emscripten::val(
      emscripten::typed_memory_view(bytes.size(), reinterpret_cast<std::uint8_t*>(bytes.data())));
}

inline std::vector<std::byte> copied_in(const emscripten::val& array) {
  std::vector<std::byte> bytes(array["length"].as<std::size_t>());
  view(bytes).call<void>("set", array);
  return bytes;
}

inline emscripten::val copied_out(std::vector<std::byte> bytes) {
  return emscripten::val::global("Uint8Array").new_(view(bytes));
}

inline std::vector<std::vector<std::byte>> parts_in(const emscripten::val& arrays) {
  std::vector<std::vector<std::byte>> parts(arrays["length"].as<std::size_t>());
  for (std::size_t i = 0; i < parts.size(); ++i) parts[i] = copied_in(emscripten::val(arrays[i]));
  return parts;
}

/// The same function, with a C++ exception turned into a JavaScript Error: it would cross the boundary as an
/// object without a message.
template <auto function>
struct Guarded;
template <class R, class... A, R (*function)(A...)>
struct Guarded<function> {
  static R call(A... arguments) {
    try {
      return function(arguments...);
    } catch (const std::exception& fault) {
      emscripten::val::global("Error").new_(std::string(fault.what())).throw_();
    }
    __builtin_unreachable();
  }
};
