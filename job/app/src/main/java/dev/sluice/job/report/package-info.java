/**
 * Counts of packets by rule, source, destination and service: who was denied by which line.
 *
 * <p>Memory is bounded. {@link dev.sluice.job.report.TopTable} counts exactly up to a number of
 * rows; beyond it keeps the rows with most packets, and tells how many packets a count may lack.
 *
 * <p>The pages of captures are made of these counts: {@link dev.sluice.job.report.CaptureReport},
 * {@link dev.sluice.job.report.ReplayReport} and {@link dev.sluice.job.report.ChangePage}.
 */
@NullMarked
package dev.sluice.job.report;

import org.jspecify.annotations.NullMarked;
