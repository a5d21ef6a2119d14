/**
 * The job: command line, captures, rule importers, Kafka and the graph. May use everything below
 * it.
 */
@NullMarked
package dev.sluice.job;

import org.jspecify.annotations.NullMarked;
