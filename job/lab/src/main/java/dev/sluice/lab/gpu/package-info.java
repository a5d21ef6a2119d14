/**
 * The {@code gpu} command, in the command line and alone; alone it needs neither Flink nor Kafka.
 */
@NullMarked
package dev.sluice.lab.gpu;

import org.jspecify.annotations.NullMarked;
