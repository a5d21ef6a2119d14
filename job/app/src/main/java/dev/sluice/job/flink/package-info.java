/**
 * Plug-ins that Flink loads as services, and settings for Flink.
 *
 * <p>{@link dev.sluice.job.flink.GpuResourceFactory} shares the GPUs of a host among its
 * TaskManagers. {@link dev.sluice.job.flink.CrossOriginFilterFactory} protects the REST interface
 * from pages of other origins, and {@link dev.sluice.job.flink.WebInterface} binds it to one
 * address.
 */
@NullMarked
package dev.sluice.job.flink;

import org.jspecify.annotations.NullMarked;
