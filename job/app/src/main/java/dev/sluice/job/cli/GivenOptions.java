package dev.sluice.job.cli;

import dev.sluice.job.UsageException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** Options that a command line has, as against those that have their default values. */
public final class GivenOptions {
    private GivenOptions() {}

    /**
     * Refuses the options of a mixin that are there.
     *
     * @param mixin name of its field
     * @param why the words behind an option's name, with a remedy
     */
    static void refuse(CommandSpec spec, String mixin, String why) {
        List<OptionSpec> options = Objects.requireNonNull(spec.mixins().get(mixin)).options();
        for (OptionSpec given : spec.commandLine().getParseResult().matchedOptions()) {
            if (options.stream().anyMatch(one -> one.longestName().equals(given.longestName()))) {
                throw new UsageException(given.longestName() + ": " + why);
            }
        }
    }

    /**
     * The options that are there, each with its values as they were written.
     *
     * @param but names of options that are left out
     */
    public static List<String> words(CommandSpec spec, Collection<String> but) {
        List<String> words = new ArrayList<>();
        for (OptionSpec option : spec.commandLine().getParseResult().matchedOptions()) {
            String name = option.longestName();
            if (but.contains(name)) {
                continue;
            }
            if (option.arity().max() == 0) {
                boolean negated = option.negatable() && Boolean.FALSE.equals(option.getValue());
                words.add(negated ? name.replaceFirst("^--", "--no-") : name);
                continue;
            }
            for (String value : option.originalStringValues()) {
                words.add(name);
                words.add(value);
            }
        }
        return words;
    }
}
