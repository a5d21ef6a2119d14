/**
 * What Flink loads by itself: the external-resource driver, by which TaskManagers of one host share
 * its GPUs.
 */
@NullMarked
package dev.sluice.job.flink;

import org.jspecify.annotations.NullMarked;
