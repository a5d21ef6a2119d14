/**
 * How fast a GPU answers: from its own memory, from the host's, while rules change, and beside the
 * cores of the CPU.
 */
@NullMarked
package dev.sluice.job.lab.gpu.measure;

import org.jspecify.annotations.NullMarked;
