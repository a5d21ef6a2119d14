/**
 * Parts that Flink loads by itself: the external-resource driver, by which TaskManagers of one host
 * share its GPUs, and the filter of its REST interface; and what Flink is told of our types.
 */
@NullMarked
package dev.sluice.job.flink;

import org.jspecify.annotations.NullMarked;
