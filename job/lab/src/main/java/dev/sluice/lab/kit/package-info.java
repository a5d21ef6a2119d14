/**
 * Parts that the experiments share. {@link dev.sluice.lab.kit.Meter} runs rounds, {@link
 * dev.sluice.lab.kit.Samples} summarizes their figures, {@link dev.sluice.lab.kit.Durations} gives
 * percentiles. {@link dev.sluice.lab.kit.LabProcess} holds a process, {@link
 * dev.sluice.lab.kit.Workers} threads, {@link dev.sluice.lab.kit.TopicTail} readers of topics. Each
 * experiment fills a JSON record, which {@link dev.sluice.lab.kit.Results} prints; {@link
 * dev.sluice.lab.kit.Pages} makes the tables in {@code docs/benchmarks} from such records.
 */
@NullMarked
package dev.sluice.lab.kit;

import org.jspecify.annotations.NullMarked;
