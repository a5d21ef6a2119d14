/** The {@code sluice} command line: one class a subcommand. */
@NullMarked
package dev.sluice.job.cli;

import org.jspecify.annotations.NullMarked;
