// SPDX-License-Identifier: Apache-2.0
#include "prism/evidence_launch.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "prism/report.h"

namespace prism::evidence_launch_test {
namespace {

struct Read {
  Result<LaunchArguments> arguments;
  Account account;
};
Read read(const std::string& text) {
  LaunchReader reader;
  reader.feed(text);
  auto a = reader.finish();
  return {std::move(a), reader.account()};
}

const std::string model = " --num-layers 32 --hidden-size 4096 --num-attention-heads 32 --seq-length 4096 ";

TEST(EvidenceLaunch, a_script_with_variables_lists_and_comments) {
  const Read r = read(
      "#!/bin/bash\n"
      "GPUS=8\nNODES=${NODES:-4}\nTP=\"2\"\n"
      "MODEL_ARGS=(\n  --num-layers 32  # not 40\n  --hidden-size 4096\n  --num-attention-heads 32\n"
      "  --seq-length 4096\n  --swiglu --untie-embeddings-and-output-weights\n  --group-query-attention "
      "--num-query-groups 8\n)\n"
      "OPTS=\"--micro-batch-size 1 --global-batch-size 128\"\n"
      "torchrun --nproc_per_node $GPUS --nnodes $NODES pretrain_gpt.py ${MODEL_ARGS[@]} $OPTS \\\n"
      "  --tensor-model-parallel-size $TP --pipeline-model-parallel-size=4 \\\n"
      "  --num-layers-per-virtual-pipeline-stage 4 --use-distributed-optimizer --sequence-parallel --lr 1e-4 "
      "--fp8-format hybrid --brand-new 3\n");
  ASSERT_TRUE(r.arguments) << r.arguments.diagnostics.at(0).message;
  const LaunchArguments& a = *r.arguments;
  EXPECT_EQ(a.tp, 2);
  EXPECT_EQ(a.pp, 4);
  EXPECT_EQ(a.virtual_stages, 2);
  EXPECT_EQ(a.gpus, 32);
  EXPECT_EQ(a.kv_heads, 8);
  EXPECT_EQ(a.micro_batch, 1);
  EXPECT_EQ(a.global_batch, 128);
  EXPECT_TRUE(a.gated_ffn && !a.tied_embeddings && a.distributed_optimizer && a.sequence_parallel);
  EXPECT_EQ(a.unknown, std::vector<std::string>{"--brand-new"});
  EXPECT_EQ(a.not_modelled, std::vector<std::string>{"--fp8-format"});
  const auto job = prepare_job(launch_scenario(a));
  ASSERT_TRUE(job) << job.diagnostics.at(0).message;
  EXPECT_EQ(job->scenario.parallel.dp, 4);
}

TEST(EvidenceLaunch, what_is_assumed_is_said) {
  const Read r = read("x" + model + "--recompute-granularity full");
  ASSERT_TRUE(r.arguments);
  EXPECT_EQ(r.arguments->recompute, "full");
  EXPECT_GE(r.arguments->assumed.size(), 5u);
  EXPECT_TRUE(prepare_job(launch_scenario(*r.arguments)));
}

TEST(EvidenceLaunch, refusals_name_the_numbers) {
  const struct {
    std::string text, says;
  } bad[] = {
      {"", "no argument of Megatron-LM"},
      {"ls --color", "no argument of Megatron-LM"},
      {"--num-layers 32 --seq-length 10", "lack --hidden-size, --num-attention-heads"},
      {model + "--num-layers many", "--num-layers should be a whole number"},
      {model + "--micro-batch-size $MBS", "not \"$MBS\""},
      {model + "--nproc_per_node 8 --tensor-model-parallel-size 3", "8 GPUs are not divisible by tensor 3"},
      {model + "--pipeline-model-parallel-size 3 --num-layers-per-virtual-pipeline-stage 1",
       "--num-layers 32 is not divisible"},
      {std::string(1 << 21, 'a'), "more than 1 MiB"}};
  for (const auto& b : bad) {
    const Read r = read(b.text);
    ASSERT_FALSE(r.arguments) << b.says;
    EXPECT_NE(r.arguments.diagnostics.at(0).message.find(b.says), std::string::npos)
        << r.arguments.diagnostics.at(0).message;
  }
}

TEST(EvidenceLaunch, a_flag_given_twice_is_noted) {
  LaunchReader reader;
  reader.feed("--num-layers 8 --hidden-size 64 --num-attention-heads 4 --seq-length 128 --num-layers 16");
  const auto launch = reader.finish();
  ASSERT_TRUE(launch);
  EXPECT_EQ(launch->layers, 16);
  const auto& notes = reader.account().notes;
  EXPECT_NE(
      std::find(notes.begin(), notes.end(), "--num-layers is given more than once: the last one counts"),
      notes.end());
}

}  // namespace
}  // namespace prism::evidence_launch_test
