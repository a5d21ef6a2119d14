/**
 * Measurements of the whole job beside what bounds it: the same plumbing with a trivial verdict,
 * and Kafka alone.
 *
 * <p>{@code Site} is the place: broker, cluster, folder, options. {@code ThroughputRun} has a
 * contender judge a topic that was filled before, {@code LoadedJob} has the job judge packets that
 * come at a rate, while rules change or not. {@code Arrivals} counts the verdicts of both, {@code
 * UsageMeter} what the processes use meanwhile.
 */
@NullMarked
package dev.sluice.lab.corridor;

import org.jspecify.annotations.NullMarked;
