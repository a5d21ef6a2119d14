/**
 * Files that are read line by line or written whole, the one-line error of all commands ({@link
 * dev.sluice.policy.io.SluiceException}), and amounts in words.
 */
@NullMarked
package dev.sluice.policy.io;

import org.jspecify.annotations.NullMarked;
