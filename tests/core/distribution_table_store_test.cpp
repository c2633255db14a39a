// SPDX-License-Identifier: Apache-2.0
// Tables that are kept, and handed from one store to another.
#include <gtest/gtest.h>

#include <set>

#include "prism/table_store.h"

namespace prism::table_store_test {
namespace {

QuantileTable ramp(double slope) {
  return QuantileTable([slope](Mass m) { return slope * m.lower; });
}

/// Asks for ramp(slope) under a name; counts how often it had to be made.
struct Asked {
  TableStore& store;
  int made = 0;
  TableStore::Table operator()(double slope) {
    return store.get(TableName("ramp").add(slope), [&] {
      ++made;
      return ramp(slope);
    });
  }
};

TEST(TableStore, MakesATableOnce) {
  TableStore store;
  Asked ask{store};
  const auto first = ask(1), second = ask(1), other = ask(2);
  EXPECT_EQ(ask.made, 2);
  EXPECT_EQ(first, second);
  EXPECT_EQ(other->highest(), 2 * first->highest());
}

TEST(TableStore, RemembersThatThereIsNone) {
  TableStore store;
  int made = 0;
  const auto none = [&]() -> std::optional<QuantileTable> {
    ++made;
    return std::nullopt;
  };
  EXPECT_EQ(store.get(TableName("heavy"), none), nullptr);
  EXPECT_EQ(store.get(TableName("heavy"), none), nullptr);
  EXPECT_EQ(made, 1);
}

TEST(TableStore, NamesDifferByWayArgumentOrderAndEveryKnot) {
  std::set<TableName> names;
  int count = 0;
  const auto add = [&](const TableName& name) {
    names.insert(name);
    ++count;
  };
  for (const char* way : {"sum", "maximum"}) {
    add(TableName(way));
    for (std::uint64_t word : {0, 1, 2}) add(TableName(way).add(word));
    add(TableName(way).add(1.0));
    add(TableName(way).add(-1.0));
    add(TableName(way).add(std::uint64_t{1}).add(std::uint64_t{2}));
    add(TableName(way).add(std::uint64_t{2}).add(std::uint64_t{1}));
    add(TableName(way).add(TableName("sum")).add(TableName("maximum")));
    add(TableName(way).add(TableName("maximum")).add(TableName("sum")));
  }
  const QuantileTable one = ramp(1);
  for (int knot = 0; knot <= QuantileTable::half; ++knot) {
    std::vector<double> lower(one.lower_knots().begin(), one.lower_knots().end());
    std::vector<double> upper(one.upper_knots().begin(), one.upper_knots().end());
    upper[knot] += 1e-12;
    add(TableName(QuantileTable(lower, upper)));
  }
  EXPECT_EQ(names.size(), static_cast<std::size_t>(count));
}

TEST(TableStore, HandsWhatIsNewToAnotherStore) {
  TableStore from, to;
  Asked ask{from}, again{to};
  ask(1), ask(2);
  from.get(TableName("heavy"), []() -> std::optional<QuantileTable> { return std::nullopt; });
  ASSERT_TRUE(to.learn(from.take_new()));
  const auto known = again(2);
  EXPECT_EQ(again.made, 0);
  EXPECT_EQ(TableName(*known), TableName(*ask(2)));
  EXPECT_EQ(known->mean(), ask(2)->mean());
  EXPECT_EQ(known->sd(), ask(2)->sd());
  EXPECT_EQ(to.get(TableName("heavy"), [] { return ramp(1); }), nullptr);
  // Only what came since the last time; what was learned is no news.
  EXPECT_TRUE(from.take_new().empty());
  EXPECT_TRUE(to.take_new().empty());
  again(3);
  EXPECT_FALSE(to.take_new().empty());
}

TEST(TableStore, KeepsNothingOfWhatIsNoStores) {
  TableStore from, to;
  Asked ask{from}, again{to};
  ask(1), ask(2);
  auto bytes = from.take_new();
  for (const std::size_t cut : {std::size_t{1}, std::size_t{30}, bytes.size() / 2 + 9, bytes.size() - 1}) {
    EXPECT_FALSE(to.learn(std::span(bytes).first(cut))) << cut;
  }
  again(1);
  EXPECT_EQ(again.made, 1);
}

TEST(TableStore, BeginsAnewWhenFull) {
  TableStore store;
  Asked ask{store};
  for (int i = 1; i <= 2000; ++i) ask(i);
  EXPECT_EQ(ask.made, 2000);
  ask(2000);
  EXPECT_EQ(ask.made, 2000);
  ask(1);
  EXPECT_EQ(ask.made, 2001);
}

}  // namespace
}  // namespace prism::table_store_test
