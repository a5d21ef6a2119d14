/** Rates of look-ups on a GPU, from its own memory and from the host's. */
@NullMarked
package dev.sluice.lab.gpu.measure;

import org.jspecify.annotations.NullMarked;
