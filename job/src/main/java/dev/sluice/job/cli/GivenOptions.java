package dev.sluice.job.cli;

import dev.sluice.job.UsageException;
import java.util.Collection;
import java.util.function.UnaryOperator;
import picocli.CommandLine.Model.CommandSpec;

/** Options that a command line has, as against those that have their default values. */
public final class GivenOptions {
    private GivenOptions() {}

    /**
     * Refuses options that would be ignored.
     *
     * @param names of the options
     * @param why from an option's name
     * @throws UsageException if one is there
     */
    public static void refuse(
            CommandSpec spec, Collection<String> names, UnaryOperator<String> why) {
        for (String name : names) {
            if (spec.commandLine().getParseResult().hasMatchedOption(name)) {
                throw new UsageException(why.apply(name));
            }
        }
    }
}
