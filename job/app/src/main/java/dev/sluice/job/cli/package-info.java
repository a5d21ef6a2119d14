/**
 * The {@code sluice} command line: one class a subcommand, the options that several of them share,
 * and {@link dev.sluice.job.cli.CommandContribution}, by which other packages add commands.
 */
@NullMarked
package dev.sluice.job.cli;

import org.jspecify.annotations.NullMarked;
