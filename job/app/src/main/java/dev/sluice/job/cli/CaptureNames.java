package dev.sluice.job.cli;

import dev.sluice.job.UsageException;
import dev.sluice.job.archive.CaptureFile;
import dev.sluice.job.archive.CaptureGlob;
import dev.sluice.job.capture.CaptureReader;
import dev.sluice.job.capture.Captures;
import dev.sluice.policy.OpenRules;
import dev.sluice.policy.RuleList;
import dev.sluice.policy.io.SluiceException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.ExecutionException;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.ParseResult;

/**
 * Names of captures, which are the same in all commands: files, or patterns as a shell has them.
 */
final class CaptureNames {
    /** Label of a command's parameters that are captures. */
    private static final String LABEL = "CAPTURE";

    private CaptureNames() {}

    /**
     * Gives a command the files that its patterns name, and refuses rules where captures are to
     * stand, and the other way round.
     *
     * @throws ExecutionException naming a pattern that no file fits, or arguments that are swapped
     */
    static void prepare(ParseResult parsed) {
        if (parsed.isUsageHelpRequested() || parsed.isVersionHelpRequested()) {
            return;
        }
        try {
            prepare(parsed.commandSpec());
        } catch (SluiceException e) {
            throw new ExecutionException(
                    parsed.commandSpec().commandLine(), String.valueOf(e.getMessage()), e);
        }
    }

    private static void prepare(CommandSpec command) {
        List<Path> captures = List.of();
        for (PositionalParamSpec parameter : command.positionalParameters()) {
            if (parameter.paramLabel().equals(LABEL) && parameter.getValue() instanceof List<?> l) {
                captures = expand(l);
                set(parameter, captures);
            }
        }
        Optional<Path> capture =
                rules(command).filter(CaptureNames::isFile).filter(CaptureNames::isCapture);
        Optional<Path> rules = captures.stream().filter(CaptureNames::isRules).findFirst();
        if (capture.isPresent() && rules.isPresent()) {
            throw new UsageException(
                    "%1$s holds rules, and --rules %2$s is a capture; swap them: %3$s %2$s --rules %1$s"
                            .formatted(rules.get(), capture.get(), command.qualifiedName(" ")));
        }
        if (capture.isPresent()) {
            throw new UsageException(
                    "--rules %s is a capture; name the rule file there".formatted(capture.get()));
        }
        if (rules.isPresent()) {
            throw new UsageException(
                    "%s holds rules and is no capture; name captures there%s"
                            .formatted(
                                    rules.get(),
                                    command.findOption("--rules") == null
                                            ? ""
                                            : ", and the rules by --rules"));
        }
    }

    private static List<Path> expand(List<?> names) {
        List<Path> files = new ArrayList<>();
        for (Object name : names) {
            Path file = (Path) name;
            if (Files.exists(file) || !CaptureGlob.isPattern(file.toString())) {
                files.add(file); // which may be called like a pattern
            } else {
                CaptureGlob.expand(List.of(file.toString())).stream()
                        .map(CaptureFile::name)
                        .forEach(found -> files.add(new GivenPath().convert(found)));
            }
        }
        return files;
    }

    private static void set(PositionalParamSpec parameter, List<Path> files) {
        try {
            parameter.setter().set(files);
        } catch (Exception e) {
            throw new IllegalStateException("the captures of a command cannot be set", e);
        }
    }

    private static Optional<Path> rules(CommandSpec command) {
        OptionSpec option = command.findOption("--rules");
        return option != null && option.getValue() instanceof Path file
                ? Optional.of(file)
                : Optional.empty();
    }

    private static boolean isFile(Path file) {
        return Files.isRegularFile(file) && Files.isReadable(file);
    }

    private static boolean isRules(Path named) {
        Path file = RuleList.of(named).file();
        return isFile(file) && !isCapture(file) && OpenRules.isRules(file);
    }

    private static boolean isCapture(Path file) {
        try (CaptureReader reader = Captures.open(file)) {
            return reader.isCapture();
        } catch (IOException e) {
            return false; // whoever reads it says why it cannot be read
        }
    }
}
