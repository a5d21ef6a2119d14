/**
 * Parts that the experiments share: {@link dev.sluice.lab.kit.Meter} runs rounds, {@link
 * dev.sluice.lab.kit.Samples} holds a figure of each round, {@link dev.sluice.lab.kit.Durations}
 * the percentiles of many times, {@link dev.sluice.lab.kit.Pages} makes the tables in {@code
 * docs/benchmarks}.
 */
@NullMarked
package dev.sluice.lab.kit;

import org.jspecify.annotations.NullMarked;
