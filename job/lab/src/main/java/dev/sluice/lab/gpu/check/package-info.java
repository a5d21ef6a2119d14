/**
 * Checks that a GPU answers correctly: a class for each check, and one comparison that all of them
 * use.
 */
@NullMarked
package dev.sluice.lab.gpu.check;

import org.jspecify.annotations.NullMarked;
