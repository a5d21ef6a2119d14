/** Devices for tasks, as an external resource of Flink. */
@NullMarked
package dev.sluice.operators.gpu;

import org.jspecify.annotations.NullMarked;
