/**
 * The job and its command line: captures, Kafka and the graph, each in a package below. Only the
 * laboratory builds on it. This package itself holds what all of them share: {@link
 * dev.sluice.job.UsageException}, a wrongly typed command, and text of strangers as a terminal may
 * show it.
 */
@NullMarked
package dev.sluice.job;

import org.jspecify.annotations.NullMarked;
