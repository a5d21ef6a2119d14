/**
 * Measurements of the whole job.
 *
 * <p>{@code Site} is the place: broker, cluster, folder, options. {@code ThroughputRun} measures
 * how fast a {@code CorridorJob} judges a filled topic. {@code LoadedJob} sends packets at a rate,
 * while rules change or not. {@code CountedVerdicts} counts the verdicts of both, {@code Usage} the
 * CPU time of the processes.
 */
@NullMarked
package dev.sluice.lab.corridor;

import org.jspecify.annotations.NullMarked;
