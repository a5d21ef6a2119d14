package dev.sluice.job.archive;

import dev.sluice.job.SluiceException;
import dev.sluice.job.graph.FlinkPaths;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.GlobalConfiguration;
import org.apache.flink.core.fs.FileStatus;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.Path;
import org.apache.flink.core.fs.UnsupportedFileSystemSchemeException;
import org.apache.flink.core.plugin.PluginUtils;

/** Where the files of an archive lie, in whatever file system. */
public final class ArchiveFiles {
    private static final Pattern OTHER_SYSTEM = Pattern.compile("(?!file:)[A-Za-z][\\w+.-]*://.*");

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

    /** A folder as Flink's paths are written; without a scheme it is one of this machine. */
    public static String folder(String name) {
        return OTHER_SYSTEM.matcher(name).matches() || name.startsWith("file:")
                ? new Path(name).toString()
                : FlinkPaths.text(java.nio.file.Path.of(name));
    }

    /**
     * Fails if a folder holds something, or cannot be used. One of this machine is made where it is
     * missing.
     *
     * @param option with what the user has written
     * @param folder as {@link #folder} writes it
     */
    public static void requireEmpty(String option, String folder) {
        try {
            Path path = new Path(folder);
            FileSystem files = path.getFileSystem();
            if (!list(path).isEmpty()) {
                throw new SluiceException(
                        option
                                + " holds files; name a new folder, so that verdicts of two runs are not mixed");
            }
            if (!files.isDistributedFS()) {
                files.mkdirs(path);
            }
        } catch (UnsupportedFileSystemSchemeException e) {
            throw noFileSystem(option, e);
        } catch (IOException e) {
            throw new SluiceException(option + " cannot be used: " + e.getMessage(), e);
        }
    }

    /** What is said where Flink has no file system for what a user has written. */
    static SluiceException noFileSystem(String option, UnsupportedFileSystemSchemeException why) {
        return new SluiceException(
                option
                        + ": no file system for it is there; put Flink's plugin of it into a folder of its own in the folder that FLINK_PLUGINS_DIR names",
                why);
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
