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

/** Files and folders of an archive in any file system of Flink's. */
public final class ArchiveFiles {
    private static final Pattern OTHER_SYSTEM = Pattern.compile("(?!file:)[A-Za-z][\\w+.-]*://.*");

    /**
     * Names of files that are being written; the name of a complete file of Flink's has no dot in
     * front.
     */
    private static final Pattern UNFINISHED = Pattern.compile("\\..*\\.inprogress\\..*");

    /** Name of the file that a command locks while its process writes to a folder. */
    private static final String LOCK = ".lock";

    private static final Pattern SCHEME = Pattern.compile("([A-Za-z][\\w+.-]*)://");

    /** Schemes that Flink leaves to Hadoop. */
    private static final Set<String> HADOOP =
            Set.of("hdfs", "viewfs", "webhdfs", "swebhdfs", "ofs", "o3fs", "har");

    private ArchiveFiles() {}

    /**
     * Loads the file systems of these names from Flink's plugins.
     *
     * <p>{@code FLINK_PLUGINS_DIR} is the folder of the plugins, {@code FLINK_CONF_DIR} the folder
     * of their configuration. Files of this machine need neither.
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
     * Returns a folder in the form of Flink's paths, whether it exists or not. Without a scheme it
     * is a folder of this machine.
     */
    public static String folder(String name) {
        boolean written = OTHER_SYSTEM.matcher(name).matches() || name.startsWith("file:");
        // From a text: a path made from the URI of a folder keeps the slash at its end.
        return new Path(written ? name : FlinkPaths.text(java.nio.file.Path.of(name))).toString();
    }

    /**
     * Fails if a folder holds files, or its file system cannot write files as this job does.
     *
     * <p>A missing folder of this machine is made. If the folder holds only files that a killed job
     * has begun, they are deleted.
     *
     * @param option with the user's value
     * @param folder as {@link #folder} returns it
     * @param writer finds a running job that may write such files; empty: none is known
     * @return the number of deleted files
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
                // Not by Flink, which does not report why a folder cannot be made.
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
     * Tells whether a folder holds only remains of a job that was killed before its first
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

    /** Exclusive hold on a folder, until it is closed. */
    public interface Held extends AutoCloseable {
        @Override
        void close() throws IOException;
    }

    /**
     * Holds a folder for a job of this process. No other command then deletes the files that the
     * job has begun. A folder on another machine is not locked. At the end, unfinished files are
     * deleted: no job resumes from them, and they occupy a full disk.
     *
     * @param option with the user's value
     * @throws IOException if the lock file cannot be made or deleted
     * @throws SluiceException if another command holds the folder
     */
    public static Held hold(String option, String folder) throws IOException {
        Optional<java.nio.file.Path> here = here(folder);
        if (here.isEmpty()) {
            return () -> deleteUnfinished(folder);
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
                deleteUnfinished(folder);
            } finally {
                Files.deleteIfExists(here.get().resolve(LOCK));
            }
        };
    }

    /**
     * Returns the folder of this machine that a path of Flink's denotes; empty: it is on another
     * machine.
     */
    public static Optional<java.nio.file.Path> here(String folder) {
        return OTHER_SYSTEM.matcher(folder).matches()
                ? Optional.empty()
                : Optional.of(java.nio.file.Path.of(new Path(folder).getPath()));
    }

    private static void deleteUnfinished(String folder) {
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

    /** Creates the exception for a path without a file system. */
    static SluiceException noFileSystem(String option, UnsupportedFileSystemSchemeException why) {
        String scheme = scheme(option);
        if (HADOOP.contains(scheme)) {
            return new SluiceException(
                    option
                            + ": Flink's file system for it needs Hadoop's classes; set HADOOP_CLASSPATH to the output of `hadoop classpath`",
                    why);
        }
        String folder = System.getenv(ConfigConstants.ENV_FLINK_PLUGINS_DIR);
        return new SluiceException(
                "%s: Flink's file system for it is not installed; put %s into a folder of its own in %s"
                        .formatted(
                                option,
                                plugin(scheme),
                                folder == null
                                        ? "a folder for plugins, and set FLINK_PLUGINS_DIR to it"
                                        : folder + ", which FLINK_PLUGINS_DIR names"),
                why);
    }

    /** Returns the scheme of the first name with one in a text; empty: none. */
    private static String scheme(String text) {
        Matcher scheme = SCHEME.matcher(text);
        return scheme.find() ? scheme.group(1).toLowerCase(Locale.ROOT) : "";
    }

    /** Names the jar of a file system. */
    private static String plugin(String scheme) {
        // Only plugins that can write verdicts, too.
        String system =
                switch (scheme) {
                    case "s3", "s3a" -> "s3";
                    case "gs", "oss" -> scheme;
                    case "abfs", "abfss", "wasb", "wasbs" -> "azure";
                    default -> "";
                };
        String version = EnvironmentInformation.getVersion().replaceFirst("\\.\\d+$", "");
        return system.isEmpty()
                ? "Flink's plugin of it"
                : "the jar of flink-%s-fs-hadoop of Flink %s (as in opt/ of Flink's distribution)"
                        .formatted(system, version);
    }

    /** Describes in one line why something cannot be read or written. */
    static String why(IOException e) {
        if (e instanceof AccessDeniedException denied && denied.getReason() == null) {
            return denied.getFile() + " may not be read; check its permissions";
        }
        String text = e.getMessage();
        return text == null ? e.getClass().getSimpleName() : text.lines().findFirst().orElse(text);
    }

    /** Lists a folder; nothing if it does not exist. */
    static List<FileStatus> list(Path folder) throws IOException {
        try {
            FileStatus[] entries = folder.getFileSystem().listStatus(folder);
            return entries == null ? List.of() : List.of(entries);
        } catch (FileNotFoundException e) {
            return List.of();
        }
    }
}
