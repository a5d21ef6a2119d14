/**
 * Parts that the experiments share: {@link dev.sluice.lab.kit.Meter} runs rounds, {@link
 * dev.sluice.lab.kit.Samples} holds a figure of each round, {@link dev.sluice.lab.kit.Durations}
 * the percentiles of many times; {@link dev.sluice.lab.kit.LabProcess} holds a process, {@link
 * dev.sluice.lab.kit.Workers} threads, {@link dev.sluice.lab.kit.TopicTail} readers of topics. Each
 * experiment fills a record of JSON, which {@link dev.sluice.lab.kit.Results} prints; {@link
 * dev.sluice.lab.kit.Pages} makes the tables in {@code docs/benchmarks} of such records.
 */
@NullMarked
package dev.sluice.lab.kit;

import org.jspecify.annotations.NullMarked;
