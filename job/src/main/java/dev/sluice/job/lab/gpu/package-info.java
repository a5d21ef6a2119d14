/** Checks and measures the engine on a GPU; needs neither Flink nor Kafka beside it. */
@NullMarked
package dev.sluice.job.lab.gpu;

import org.jspecify.annotations.NullMarked;
