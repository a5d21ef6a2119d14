package dev.sluice.job.archive;

import dev.sluice.job.capture.CaptureEnd;
import dev.sluice.job.capture.CaptureReader;
import dev.sluice.job.capture.Captures;
import dev.sluice.policy.io.InputFiles;
import dev.sluice.policy.io.SluiceException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.PathMatcher;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.apache.flink.core.fs.FileStatus;
import org.apache.flink.core.fs.Path;
import org.apache.flink.core.fs.UnsupportedFileSystemSchemeException;

/**
 * Expansion of file name patterns to captures, as in a shell.
 *
 * <p>{@code *}, {@code ?}, {@code [a-z]} and {@code {a,b}} match within a name, {@code **} any
 * folders. Names that begin with a dot match only patterns that do. Pipes and devices match none.
 */
public final class CaptureGlob {
    private static final String ANY_FOLDERS = "**";

    /** Maximal number of files that a message names. */
    private static final int NAMED = 10;

    private static final Pattern WILD = Pattern.compile("[*?\\[{]");

    /** Scheme and authority, if there is one, before a path. */
    private static final Pattern REMOTE =
            Pattern.compile("([A-Za-z][A-Za-z0-9+.-]*:(?://[^/]*)?)(/.*)");

    private CaptureGlob() {}

    /** File or folder that matches the first parts of a pattern. */
    private record Found(String name, Path path, long bytes) {
        /** Returns a child, which may not exist. */
        Found child(String child, long size) {
            String between = name.isEmpty() || name.endsWith("/") ? "" : "/";
            String folder = path.toString();
            // Not by Path(Path, String), which takes the text before a colon for a scheme.
            String whole = folder.endsWith("/") ? folder + child : folder + "/" + child;
            return new Found(name + between + child, new Path(whole), size);
        }
    }

    /** Entry of a folder; {@code linked}: a symbolic link. */
    private record Entry(String name, boolean folder, boolean linked, long bytes) {}

    /**
     * Returns the captures that match patterns, ordered by pattern and then by name, each once.
     *
     * @param patterns relative to the working directory, absolute, or of another file system of
     *     Flink's: {@code s3://bucket/day/*.pcap}
     * @throws SluiceException naming the first pattern that matches no file or cannot be used
     */
    public static List<CaptureFile> expand(List<String> patterns) {
        Map<String, CaptureFile> files = new LinkedHashMap<>();
        for (String pattern : patterns) {
            List<Found> found;
            try {
                found = expand(pattern);
            } catch (UnsupportedFileSystemSchemeException e) {
                throw ArchiveFiles.noFileSystem("capture " + pattern, e);
            } catch (IOException e) {
                throw new SluiceException(
                        "capture %s cannot be looked at: %s"
                                .formatted(pattern, ArchiveFiles.why(e)),
                        e);
            } catch (PatternSyntaxException e) {
                throw new SluiceException(
                        "capture " + pattern + " is no pattern: " + e.getDescription(), e);
            }
            if (found.isEmpty()) {
                throw new SluiceException(nothing(pattern));
            }
            found.stream()
                    .sorted(Comparator.comparing(Found::name))
                    .map(f -> new CaptureFile(f.name, f.path.toString(), f.bytes))
                    .forEach(file -> files.putIfAbsent(file.location(), file));
        }
        return List.copyOf(files.values());
    }

    /** Tells whether a name has wildcards. */
    public static boolean isPattern(String name) {
        return WILD.matcher(name).find();
    }

    private static String nothing(String pattern) {
        if (isPattern(pattern)) {
            return "capture " + pattern + " matches no file; check the pattern";
        }
        return isFolder(pattern)
                ? "capture %s is a folder; write '%s/*' for the files in it, or '%s/**' for those in its folders, too"
                        .formatted(pattern, bare(pattern), bare(pattern))
                : "capture " + pattern + " does not exist; check the path";
    }

    private static String bare(String folder) {
        return folder.replaceFirst("/+$", "");
    }

    private static boolean isFolder(String name) {
        try {
            Path path = new Path(ArchiveFiles.folder(name));
            return path.getFileSystem().getFileStatus(path).isDir();
        } catch (IOException e) {
            return false; // a folder that cannot be read counts as missing
        }
    }

    private static List<Found> expand(String pattern) throws IOException {
        Matcher remote = REMOTE.matcher(pattern);
        if (remote.matches()) {
            String root = remote.group(1) + "/";
            return under(new Found(root, new Path(root), 0), remote.group(2));
        }
        Path here =
                new Path(java.nio.file.Path.of("").toAbsolutePath().toUri()); // as the shell has it
        return pattern.startsWith("/")
                ? under(new Found("/", new Path("file:///"), 0), pattern)
                : under(new Found("", here, 0), pattern);
    }

    private static List<Found> under(Found root, String pattern) throws IOException {
        List<String> parts =
                Arrays.stream(pattern.split("/")).filter(part -> !part.isEmpty()).toList();
        List<Found> found = new ArrayList<>();
        walk(root, parts, 0, found);
        return found;
    }

    private static void walk(Found at, List<String> parts, int next, List<Found> found)
            throws IOException {
        int wild = next;
        Found start = at;
        while (wild < parts.size() && !WILD.matcher(parts.get(wild)).find()) {
            start = start.child(parts.get(wild++), 0);
        }
        if (wild == parts.size()) {
            file(start).ifPresent(found::add);
            return;
        }
        String part = parts.get(wild);
        boolean any = part.equals(ANY_FOLDERS);
        if (any) {
            walk(start, parts, wild + 1, found);
        }
        PathMatcher names = FileSystems.getDefault().getPathMatcher("glob:" + part);
        for (Entry entry : entries(start.path)) {
            String name = entry.name;
            boolean fits =
                    name.startsWith(".") == part.startsWith(".")
                            && (any || names.matches(java.nio.file.Path.of(name)));
            if (!fits) {
                continue;
            }
            if (!entry.folder) {
                if (wild + 1 == parts.size()) {
                    found.add(start.child(name, entry.bytes));
                }
            } else if (!any || !entry.linked) { // a link may lead to a folder above
                walk(start.child(name, 0), parts, any ? wild : wild + 1, found);
            }
        }
    }

    private static Optional<Found> file(Found found) throws IOException {
        try {
            FileStatus status = found.path.getFileSystem().getFileStatus(found.path);
            return status.isDir()
                    ? Optional.empty()
                    : Optional.of(new Found(found.name, found.path, status.getLen()));
        } catch (FileNotFoundException e) {
            return Optional.empty();
        }
    }

    /** Lists a folder; nothing if it is none. */
    private static List<Entry> entries(Path folder) throws IOException {
        if (!folder.getFileSystem().isDistributedFS()) {
            return entries(java.nio.file.Path.of(folder.getPath()));
        }
        return ArchiveFiles.list(folder).stream()
                .map(s -> new Entry(s.getPath().getName(), s.isDir(), false, s.getLen()))
                .toList();
    }

    /**
     * Lists a folder of this machine without Flink. Flink returns no entries for a folder that may
     * not be read or that has a dangling link, and fails at names with a colon.
     */
    private static List<Entry> entries(java.nio.file.Path folder) throws IOException {
        List<Entry> entries = new ArrayList<>();
        if (Files.isDirectory(folder)) {
            try (DirectoryStream<java.nio.file.Path> files = Files.newDirectoryStream(folder)) {
                for (java.nio.file.Path file : files) {
                    if (InputFiles.isPipe(file)) {
                        continue; // a read of it would block
                    }
                    boolean inner = Files.isDirectory(file);
                    entries.add(
                            new Entry(
                                    String.valueOf(file.getFileName()),
                                    inner,
                                    Files.isSymbolicLink(file),
                                    inner || !Files.exists(file) ? 0 : Files.size(file)));
                }
            } catch (DirectoryIteratorException e) {
                throw e.getCause();
            }
        }
        return entries;
    }

    /**
     * Opens every capture and checks its first bytes. An empty file counts as a capture cut at its
     * first byte: a writer that starts a file every hour leaves some.
     *
     * @throws SluiceException naming the files that may not be read or are no captures; or if all
     *     are empty
     */
    public static void requireCaptures(List<CaptureFile> files) {
        // In parallel: each file of an object store takes a round trip.
        List<String> bad =
                files.parallelStream().map(CaptureGlob::whyNot).flatMap(Optional::stream).toList();
        if (bad.isEmpty()) {
            requireBytes(files);
            return;
        }
        String more = bad.size() > NAMED ? "; and %d more".formatted(bad.size() - NAMED) : "";
        throw new SluiceException(
                "%d of %d files cannot be judged: %s%s; leave them out"
                        .formatted(
                                bad.size(),
                                files.size(),
                                String.join("; ", bad.subList(0, Math.min(NAMED, bad.size()))),
                                more));
    }

    private static void requireBytes(List<CaptureFile> files) {
        if (files.stream().allMatch(file -> file.bytes() == 0)) {
            throw new SluiceException(
                    files.size() == 1
                            ? "capture " + files.get(0).name() + " is empty; name another one"
                            : "all of the %d captures are empty; check the pattern"
                                    .formatted(files.size()));
        }
    }

    private static Optional<String> whyNot(CaptureFile file) {
        java.net.URI place = file.path().toUri();
        if ((place.getScheme() == null || place.getScheme().equals("file"))
                && InputFiles.isPipe(java.nio.file.Path.of(place.getPath()))) {
            return Optional.of(file.name() + " is a pipe or a device and no file");
        }
        try (CaptureReader capture = Captures.open(file.path().getFileSystem().open(file.path()))) {
            return capture.isCapture() || capture.end().kind() == CaptureEnd.Kind.EMPTY_FILE
                    ? Optional.empty()
                    : Optional.of(capture.end().describe(file.name()));
        } catch (IOException e) {
            return Optional.of(file.name() + " cannot be read: " + ArchiveFiles.why(e));
        }
    }
}
