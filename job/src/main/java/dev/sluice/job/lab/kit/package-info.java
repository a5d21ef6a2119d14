/**
 * Parts that the experiments share: {@link dev.sluice.job.lab.kit.Meter} runs rounds, {@link
 * dev.sluice.job.lab.kit.Samples} holds a figure of each round, {@link
 * dev.sluice.job.lab.kit.Durations} the percentiles of many times, {@link
 * dev.sluice.job.lab.kit.Pages} makes the tables in {@code docs/benchmarks}.
 */
@NullMarked
package dev.sluice.job.lab.kit;

import org.jspecify.annotations.NullMarked;
