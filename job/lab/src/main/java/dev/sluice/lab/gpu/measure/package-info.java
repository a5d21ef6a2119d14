/** {@code gpu bench}: rates of look-ups on headers in a GPU's own memory. */
@NullMarked
package dev.sluice.lab.gpu.measure;

import org.jspecify.annotations.NullMarked;
