/**
 * The whole corridor in one process: captures in, verdict file out, in capture order at any
 * parallelism.
 */
@NullMarked
package dev.sluice.job.replay;

import org.jspecify.annotations.NullMarked;
