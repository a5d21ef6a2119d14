/**
 * Whether a GPU answers right: one class a check, and one comparison that all of them count with.
 */
@NullMarked
package dev.sluice.lab.gpu.check;

import org.jspecify.annotations.NullMarked;
