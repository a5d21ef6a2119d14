/**
 * The {@code sluice} command line, a class for each command. {@link dev.sluice.job.cli.Main} is its
 * entry point and has the options of all commands; {@link dev.sluice.job.cli.JobMain} is the entry
 * point for {@code flink run}. {@code CommandTree} lists the commands, {@link
 * dev.sluice.job.cli.CommandContribution} adds those of other modules. Classes whose names end in
 * Options or Arguments are mixins that commands share.
 */
@NullMarked
package dev.sluice.job.cli;

import org.jspecify.annotations.NullMarked;
