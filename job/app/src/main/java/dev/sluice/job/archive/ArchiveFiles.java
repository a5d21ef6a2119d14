package dev.sluice.job.archive;

import dev.sluice.job.FolderLock;
import dev.sluice.job.UsageException;
import dev.sluice.job.graph.FlinkPaths;
import dev.sluice.policy.TextFiles;
import dev.sluice.policy.io.SluiceException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.flink.configuration.ConfigConstants;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.GlobalConfiguration;
import org.apache.flink.core.fs.FileStatus;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.Path;
import org.apache.flink.core.fs.UnsupportedFileSystemSchemeException;
import org.apache.flink.core.plugin.PluginUtils;
import org.apache.flink.runtime.util.EnvironmentInformation;

/** Where the files of an archive lie, in whatever file system. */
public final class ArchiveFiles {
    private static final Pattern OTHER_SYSTEM = Pattern.compile("(?!file:)[A-Za-z][\\w+.-]*://.*");

    /** Names of files that are being written; those of Flink's that are complete have no dot. */
    private static final Pattern UNFINISHED = Pattern.compile("\\..*\\.inprogress\\..*");

    /** Name of the file that the command locks whose process writes a folder. */
    private static final String LOCK = ".lock";

    private static final Pattern SCHEME = Pattern.compile("([A-Za-z][\\w+.-]*)://");

    /** Flink's plugins by the schemes that they bring; of those that can write verdicts, too. */
    private static final Map<String, String> PLUGINS =
            Map.ofEntries(
                    Map.entry("s3", "flink-s3-fs-hadoop"),
                    Map.entry("s3a", "flink-s3-fs-hadoop"),
                    Map.entry("gs", "flink-gs-fs-hadoop"),
                    Map.entry("oss", "flink-oss-fs-hadoop"),
                    Map.entry("abfs", "flink-azure-fs-hadoop"),
                    Map.entry("abfss", "flink-azure-fs-hadoop"),
                    Map.entry("wasb", "flink-azure-fs-hadoop"),
                    Map.entry("wasbs", "flink-azure-fs-hadoop"));

    /** Schemes that Flink leaves to Hadoop. */
    private static final Set<String> HADOOP =
            Set.of("hdfs", "viewfs", "webhdfs", "swebhdfs", "ofs", "o3fs", "har");

    private ArchiveFiles() {}

    /**
     * Has Flink find the file systems that names ask for: by its plugins, as {@code
     * FLINK_PLUGINS_DIR} says, configured as in the folder that {@code FLINK_CONF_DIR} names. Files
     * of this machine need nothing.
     */
    public static void useFileSystems(List<String> names, String name) {
        boolean others =
                Stream.concat(names.stream(), Stream.of(name))
                        .anyMatch(n -> OTHER_SYSTEM.matcher(n).matches());
        if (others) {
            Configuration config = GlobalConfiguration.loadConfiguration();
            FileSystem.initialize(config, PluginUtils.createPluginManagerFromRootFolder(config));
        }
    }

    /**
     * A folder as Flink's paths are written, alike whether it is there or not; without a scheme it
     * is one of this machine.
     */
    public static String folder(String name) {
        boolean written = OTHER_SYSTEM.matcher(name).matches() || name.startsWith("file:");
        // By a text: a path that is made of the URI of a folder keeps the slash at its end.
        return new Path(written ? name : FlinkPaths.text(java.nio.file.Path.of(name))).toString();
    }

    /**
     * Fails if a folder holds something, or cannot take files as they are written here. One of this
     * machine is made where it is missing. Files that were begun by a job that was killed are
     * deleted where nothing else is in the folder.
     *
     * @param option with what the user has written
     * @param folder as {@link #folder} writes it
     * @param writer a job that may write such files; empty: none that could be asked for
     * @return how many files are deleted
     */
    public static int requireEmpty(
            String option, String folder, Supplier<Optional<String>> writer) {
        try {
            Path path = new Path(folder);
            FileSystem files = path.getFileSystem();
            List<FileStatus> held = list(path);
            if (held.size() == 1 && !held.get(0).isDir() && held.get(0).getPath().equals(path)) {
                throw new UsageException(
                        option + " is a file; name a folder, which need not be there");
            }
            List<Path> begun = new ArrayList<>();
            if (!isLeft(held, begun)) {
                throw new SluiceException(
                        option
                                + " holds files; name a new folder, so that verdicts of two runs are not mixed");
            }
            if (!begun.isEmpty()) {
                writer.get()
                        .ifPresent(
                                job -> {
                                    throw new SluiceException(
                                            "%s holds files that a job has begun, and %s; name a new folder, or delete them once no job writes there"
                                                    .formatted(option, job));
                                });
                delete(option, folder, begun);
            }
            if (!files.isDistributedFS()) {
                // Not by Flink, whose answer where a folder cannot be made is that it was not.
                TextFiles.makeFolder(java.nio.file.Path.of(path.getPath()));
            }
            files.createRecoverableWriter();
            return begun.size();
        } catch (UnsupportedFileSystemSchemeException e) {
            throw noFileSystem(option, e);
        } catch (UnsupportedOperationException e) {
            throw new SluiceException(
                    option
                            + ": this file system of Flink's cannot write files that become visible whole, with a checkpoint; for s3:// put flink-s3-fs-hadoop in place of flink-s3-fs-presto",
                    e);
        } catch (IOException e) {
            throw new SluiceException(option + " cannot be used: " + why(e), e);
        }
    }

    /**
     * Whether a folder holds nothing but what a job leaves that is killed before its first
     * checkpoint.
     *
     * @param begun gets the files that were begun
     */
    private static boolean isLeft(List<FileStatus> held, List<Path> begun) throws IOException {
        for (FileStatus entry : held) {
            String name = entry.getPath().getName();
            if (entry.isDir()) {
                if (!name.equals(ArchiveJob.DEAD_LETTERS)
                        || !isLeft(list(entry.getPath()), begun)) {
                    return false;
                }
            } else if (UNFINISHED.matcher(name).matches()) {
                begun.add(entry.getPath());
            } else if (!name.equals(LOCK)) {
                return false;
            }
        }
        return true;
    }

    @SuppressWarnings("try") // the folder is held, and the lock not used otherwise
    private static void delete(String option, String folder, List<Path> begun) throws IOException {
        try (Held alone = hold(option, folder)) {
            for (Path file : begun) {
                file.getFileSystem().delete(file, false);
            }
        }
    }

    /** A folder that a command has for itself until this is closed. */
    public interface Held extends AutoCloseable {
        @Override
        void close() throws IOException;
    }

    /**
     * Takes a folder for a job of this process, so that no other command deletes what the job has
     * begun. One that lies elsewhere is not locked.
     *
     * @param option with what the user has written
     * @throws IOException if the file that is locked cannot be made or deleted
     * @throws SluiceException if another command has it
     */
    public static Held hold(String option, String folder) throws IOException {
        Optional<java.nio.file.Path> here = here(folder);
        if (here.isEmpty()) {
            return () -> {};
        }
        FolderLock lock =
                FolderLock.take(here.get(), LOCK)
                        .orElseThrow(
                                () ->
                                        new SluiceException(
                                                option
                                                        + " is written by another command; wait for its end, or name another folder"));
        return () -> {
            try (lock) {
                Files.deleteIfExists(here.get().resolve(LOCK));
            }
        };
    }

    /** The folder of this machine that a path of Flink's is; empty: it lies elsewhere. */
    public static Optional<java.nio.file.Path> here(String folder) {
        return OTHER_SYSTEM.matcher(folder).matches()
                ? Optional.empty()
                : Optional.of(java.nio.file.Path.of(new Path(folder).getPath()));
    }

    /**
     * Deletes the files that a job of this process had begun, once it has ended: nothing goes on
     * from them, and they keep a full disk full.
     *
     * @param folder of its verdicts, on this machine or elsewhere
     */
    public static void deleteUnfinished(String folder) {
        for (Path part : List.of(new Path(folder), new Path(folder, ArchiveJob.DEAD_LETTERS))) {
            try {
                for (FileStatus file : list(part)) {
                    if (UNFINISHED.matcher(file.getPath().getName()).matches()) {
                        part.getFileSystem().delete(file.getPath(), false);
                    }
                }
            } catch (IOException e) {
                throw new SluiceException(
                        "files that were begun in %s cannot be deleted: %s".formatted(part, why(e)),
                        e);
            }
        }
    }

    /** What is said where Flink has no file system for what a user has written. */
    static SluiceException noFileSystem(String option, UnsupportedFileSystemSchemeException why) {
        String scheme = scheme(option);
        if (HADOOP.contains(scheme)) {
            return new SluiceException(
                    option
                            + ": Flink's file system for it asks for Hadoop's classes; name them by HADOOP_CLASSPATH, as `hadoop classpath` prints them",
                    why);
        }
        String folder = System.getenv(ConfigConstants.ENV_FLINK_PLUGINS_DIR);
        return new SluiceException(
                "%s: Flink's file system for it is not there; put %s into a folder of its own in %s"
                        .formatted(
                                option,
                                plugin(scheme),
                                folder == null
                                        ? "a folder for plugins, and name that by FLINK_PLUGINS_DIR"
                                        : folder + ", which FLINK_PLUGINS_DIR names"),
                why);
    }

    /** The scheme of the first name with one in a text; empty: there is none. */
    private static String scheme(String text) {
        Matcher scheme = SCHEME.matcher(text);
        return scheme.find() ? scheme.group(1).toLowerCase(Locale.ROOT) : "";
    }

    /** The jar that brings a file system. */
    private static String plugin(String scheme) {
        String jar = PLUGINS.get(scheme);
        return jar == null
                ? "Flink's plugin of it"
                : "the jar of %s of Flink %s (as in opt/ of Flink's distribution)"
                        .formatted(
                                jar,
                                EnvironmentInformation.getVersion().replaceFirst("\\.\\d+$", ""));
    }

    /** Why something cannot be read or written, as one line. */
    static String why(IOException e) {
        if (e instanceof AccessDeniedException denied && denied.getReason() == null) {
            return denied.getFile() + " may not be read; check its permissions";
        }
        String text = e.getMessage();
        return text == null ? e.getClass().getSimpleName() : text.lines().findFirst().orElse(text);
    }

    /** What a folder holds; nothing where it is not there. */
    static List<FileStatus> list(Path folder) throws IOException {
        try {
            FileStatus[] entries = folder.getFileSystem().listStatus(folder);
            return entries == null ? List.of() : List.of(entries);
        } catch (FileNotFoundException e) {
            return List.of();
        }
    }
}
