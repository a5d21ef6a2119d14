/**
 * The command {@code sluice gpu}. {@link dev.sluice.lab.gpu.GpuMain} runs it without Flink and
 * Kafka, on machines that have only the GPU's driver.
 */
@NullMarked
package dev.sluice.lab.gpu;

import org.jspecify.annotations.NullMarked;
