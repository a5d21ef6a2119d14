/**
 * What only Flink asks for: the external-resource driver, which it loads by itself and by which
 * TaskManagers of one host share its GPUs; and what it is told of types of ours.
 */
@NullMarked
package dev.sluice.job.flink;

import org.jspecify.annotations.NullMarked;
