/**
 * The kit of the experiments: {@link dev.sluice.job.lab.kit.Meter} runs rounds, {@link
 * dev.sluice.job.lab.kit.Samples} holds a figure of each round, {@link
 * dev.sluice.job.lab.kit.Durations} the percentiles of many times.
 */
@NullMarked
package dev.sluice.job.lab.kit;

import org.jspecify.annotations.NullMarked;
