package dev.sluice.job.cli;

import dev.sluice.engine.gpu.GpuPool;
import dev.sluice.engine.gpu.OffloadPreference;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.AlgorithmChoice;
import dev.sluice.job.cluster.CoreList;
import dev.sluice.job.submit.FlinkAddress;
import dev.sluice.operators.classify.VerdictFields;
import dev.sluice.policy.RuleFormat;
import dev.sluice.policy.RuleFormats;
import dev.sluice.policy.io.SluiceException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Function;
import picocli.CommandLine;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.TypeConversionException;

/** Converters of option values, one a type, which all commands share. */
public final class OptionTypes {
    private OptionTypes() {}

    /** Has a command and those below it read their values by these converters. */
    public static void register(CommandLine commands) {
        Counts.register(commands);
        commands.registerConverter(Path.class, new GivenPath());
        commands.registerConverter(Duration.class, new Times.Length());
        register(commands, AlgorithmChoice.class, Algorithm::parse);
        register(commands, GpuPool.Selection.class, GpuPool.Selection::parse);
        register(commands, OffloadPreference.class, OffloadPreference::parse);
        register(commands, VerdictFields.class, VerdictFields::parse);
        register(commands, RuleFormat.class, RuleFormats::of);
        register(commands, CoreList.class, CoreList::parse);
        register(commands, FlinkAddress.class, FlinkAddress::parse);
        registerEnums(commands);
    }

    private static <T> void register(
            CommandLine commands, Class<T> type, Function<String, T> parser) {
        commands.registerConverter(type, refusing(parser));
    }

    /**
     * A converter by a parser whose refusals name value and remedy.
     *
     * @param parser its refusals begin with the value where they are {@link SluiceException}s, and
     *     follow a colon where they are {@link IllegalArgumentException}s
     */
    static <T> ITypeConverter<T> refusing(Function<String, T> parser) {
        return text -> {
            try {
                return parser.apply(text);
            } catch (SluiceException e) {
                throw new TypeConversionException(String.valueOf(e.getMessage()));
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException(": " + e.getMessage());
            }
        };
    }

    private static void registerEnums(CommandLine command) {
        for (OptionSpec option : command.getCommandSpec().options()) {
            for (Class<?> type : option.auxiliaryTypes()) {
                if (type.isEnum()) {
                    registerEnum(command, type);
                }
            }
        }
        command.getSubcommands().values().forEach(OptionTypes::registerEnums);
    }

    @SuppressWarnings({"rawtypes", "unchecked"}) // the class of an enum is that of its constants
    private static void registerEnum(CommandLine command, Class type) {
        command.registerConverter(type, refusing(text -> Choice.parse(text, type)));
    }
}
