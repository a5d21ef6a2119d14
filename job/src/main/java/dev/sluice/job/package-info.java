/**
 * The job: command line, captures, rule importers, Kafka, the graph and the laboratory, each in a
 * package below; may use every other module. This package itself holds what all of them share:
 * {@link dev.sluice.job.SluiceException}, a failure that is told to the user in its own words.
 */
@NullMarked
package dev.sluice.job;

import org.jspecify.annotations.NullMarked;
