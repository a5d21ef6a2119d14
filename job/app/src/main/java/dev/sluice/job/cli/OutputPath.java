package dev.sluice.job.cli;

import dev.sluice.job.UsageException;
import dev.sluice.job.classify.CaptureSource;
import dev.sluice.policy.TextFiles;
import dev.sluice.policy.io.SluiceException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A file or folder that a command is to write, beside files that it reads. */
public final class OutputPath {
    /** Path of standard input, where the system has one. */
    private static final Path STANDARD_INPUT = Path.of("/dev/stdin");

    /** Path of standard output, where the system has one. */
    private static final Path STANDARD_OUTPUT = Path.of("/dev/stdout");

    /** Links from one to the next, at most, as Linux follows them. */
    private static final int MOST_LINKS = 40;

    private OutputPath() {}

    /**
     * Refuses an output that is no file, or that a command reads.
     *
     * @param path null: there is none
     */
    static void require(String option, @Nullable Path path, Collection<Path> reads) {
        if (path != null) {
            requireFile(option, path);
            requireOther(option, path, reads);
        }
    }

    /**
     * Refuses to write over a file that the command reads, or writes too, under whatever name and
     * through links.
     *
     * @param option that names the file to write
     * @param others what the command reads, - for standard input, or writes beside it
     * @throws UsageException if it is one of them
     */
    public static void requireOther(String option, Path to, Collection<Path> others) {
        overwritten(to, others)
                .ifPresent(
                        other -> {
                            throw new UsageException(
                                    "%s %s would be written over: the command reads or writes %s, too; name another file"
                                            .formatted(option, to, other));
                        });
    }

    /**
     * Makes a folder that a command is to write into, before it does what takes long, and refuses
     * one where a file that the command reads would be written over.
     *
     * @param option that names the folder
     * @param names of the files that the command writes there
     * @param reads what the command reads
     * @throws UsageException if it is no folder, or one of the files is one of those read
     * @throws SluiceException if it cannot be made, or may not be written
     */
    public static void makeFolder(
            String option, Path folder, List<String> names, Collection<Path> reads) {
        if (folder.toString().isEmpty()) {
            throw new UsageException(option + " names no folder; for the current one write .");
        }
        requireNoFile(option, folder);
        for (String name : names) {
            overwritten(folder.resolve(name), reads)
                    .ifPresent(
                            other -> {
                                throw new UsageException(
                                        "%s %s: %s there would be written over: the command reads %s; name another folder"
                                                .formatted(option, folder, name, other));
                            });
        }
        TextFiles.makeFolder(folder);
    }

    /**
     * Refuses a file where a folder is to be.
     *
     * @throws UsageException if it is one
     */
    public static void requireNoFile(String option, Path folder) {
        if (Files.exists(folder) && !Files.isDirectory(folder)) {
            throw new UsageException(
                    "%s %s is a file; name a folder, which need not be there"
                            .formatted(option, folder));
        }
    }

    private static Optional<Path> overwritten(Path to, Collection<Path> others) {
        return others.stream().filter(other -> isSame(to, other)).findFirst();
    }

    /**
     * Refuses captures that standard output would be written into, for as long as they are read.
     *
     * @throws UsageException if it goes into one of them
     */
    static void requireOtherThanStandardOutput(Collection<Path> captures) {
        for (Path capture : captures) {
            if (isSame(STANDARD_OUTPUT, capture)) {
                throw new UsageException(
                        "standard output goes into %s, which is read; send it to another file"
                                .formatted(capture));
            }
        }
    }

    /**
     * Refuses -, which other commands take for standard output.
     *
     * @throws UsageException if it is that
     */
    public static void requireFile(String option, Path to) {
        if (to.equals(CaptureSource.STANDARD_INPUT)) {
            throw new UsageException(
                    option + " - names no file; for one that is called so write ./-");
        }
    }

    private static boolean isSame(Path to, Path other) {
        boolean input = other.equals(CaptureSource.STANDARD_INPUT);
        Path there = input ? STANDARD_INPUT : other;
        try {
            if (Files.isRegularFile(to) && Files.exists(there)) {
                return Files.isSameFile(to, there);
            }
        } catch (IOException e) {
            throw new SluiceException(
                    "files %s and %s cannot be compared: %s".formatted(to, other, e), e);
        }
        return !Files.exists(to) && target(to).equals(target(there));
    }

    /** Returns the path at which a missing file would be made. */
    private static Path target(Path file) {
        Path at = file.toAbsolutePath().normalize();
        try {
            for (int i = 0; i < MOST_LINKS && Files.isSymbolicLink(at); i++) {
                at = at.resolveSibling(Files.readSymbolicLink(at)).normalize();
            }
            Path folder = at.getParent();
            return folder == null || !Files.exists(folder)
                    ? at
                    : folder.toRealPath().resolve(at.getFileName());
        } catch (IOException e) {
            return at; // whoever writes it says why it cannot be
        }
    }
}
