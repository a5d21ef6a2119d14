package dev.sluice.job.archive;

import dev.sluice.job.SluiceException;
import dev.sluice.job.capture.CaptureReader;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.FileSystems;
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
 * Captures by patterns: {@code *}, {@code ?}, {@code [a-z]} and {@code {a,b}} within a name, {@code
 * **} for any folders, as a shell has them. Names that begin with a dot are found by patterns that
 * do.
 */
public final class CaptureGlob {
    private static final String ANY_FOLDERS = "**";
    private static final Pattern WILD = Pattern.compile("[*?\\[{]");

    /** Scheme and, where there is one, authority. */
    private static final Pattern REMOTE =
            Pattern.compile("([A-Za-z][A-Za-z0-9+.-]*:(?://[^/]*)?)(/.*)");

    private CaptureGlob() {}

    /** A file or folder that fits a pattern as far as it was looked at. */
    private record Found(String name, Path path) {
        Found child(String child) {
            String between = name.isEmpty() || name.endsWith("/") ? "" : "/";
            return new Found(name + between + child, new Path(path, child));
        }
    }

    /**
     * The captures that patterns name, those of one pattern by name, each once.
     *
     * @param patterns relative to the working directory, absolute, or of another file system of
     *     Flink's: {@code s3://bucket/day/*.pcap}
     * @throws SluiceException naming the first pattern that no file fits or that cannot be used
     */
    public static List<CaptureFile> expand(List<String> patterns) {
        Map<String, CaptureFile> files = new LinkedHashMap<>();
        for (String pattern : patterns) {
            List<Found> found;
            try {
                found = expand(pattern);
            } catch (UnsupportedFileSystemSchemeException e) {
                throw ArchiveFiles.noFileSystem("--captures " + pattern, e);
            } catch (IOException e) {
                throw new SluiceException(
                        "--captures " + pattern + " cannot be looked at: " + e.getMessage(), e);
            } catch (PatternSyntaxException e) {
                throw new SluiceException(
                        "--captures " + pattern + " is no pattern: " + e.getDescription(), e);
            }
            if (found.isEmpty()) {
                throw new SluiceException(
                        WILD.matcher(pattern).find()
                                ? "--captures " + pattern + " matches no file; check the pattern"
                                : "capture " + pattern + " does not exist; check the path");
            }
            found.stream()
                    .sorted(Comparator.comparing(Found::name))
                    .map(f -> new CaptureFile(f.name, f.path.toString()))
                    .forEach(file -> files.putIfAbsent(file.location(), file));
        }
        return List.copyOf(files.values());
    }

    private static List<Found> expand(String pattern) throws IOException {
        Matcher remote = REMOTE.matcher(pattern);
        if (remote.matches()) {
            String root = remote.group(1) + "/";
            return under(new Found(root, new Path(root)), remote.group(2));
        }
        Path here =
                new Path(java.nio.file.Path.of("").toAbsolutePath().toUri()); // as the shell has it
        return pattern.startsWith("/")
                ? under(new Found("/", new Path("file:///")), pattern)
                : under(new Found("", here), pattern);
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
            start = start.child(parts.get(wild++));
        }
        if (wild == parts.size()) {
            if (isFile(start)) {
                found.add(start);
            }
            return;
        }
        String part = parts.get(wild);
        boolean any = part.equals(ANY_FOLDERS);
        if (any) {
            walk(start, parts, wild + 1, found);
        }
        PathMatcher names = FileSystems.getDefault().getPathMatcher("glob:" + part);
        for (FileStatus entry : ArchiveFiles.list(start.path)) {
            String name = entry.getPath().getName();
            boolean fits =
                    name.startsWith(".") == part.startsWith(".")
                            && (any || names.matches(java.nio.file.Path.of(name)));
            if (!fits) {
                continue;
            }
            Found child = start.child(name);
            if (entry.isDir()) {
                walk(child, parts, any ? wild : wild + 1, found);
            } else if (wild + 1 == parts.size()) {
                found.add(child);
            }
        }
    }

    private static boolean isFile(Found found) throws IOException {
        try {
            return !found.path.getFileSystem().getFileStatus(found.path).isDir();
        } catch (FileNotFoundException e) {
            return false;
        }
    }

    /**
     * Opens every capture and looks at its first bytes.
     *
     * @throws SluiceException naming the first that may not be read or is no capture
     */
    public static void requireCaptures(List<CaptureFile> files) {
        // Side by side: a file of an object store takes a round trip.
        List<Optional<String>> bad = files.parallelStream().map(CaptureGlob::whyNot).toList();
        bad.stream()
                .flatMap(Optional::stream)
                .findFirst()
                .ifPresent(
                        why -> {
                            throw new SluiceException(why);
                        });
    }

    private static Optional<String> whyNot(CaptureFile file) {
        try (CaptureReader capture =
                CaptureReader.open(file.path().getFileSystem().open(file.path()))) {
            return capture.isCapture()
                    ? Optional.empty()
                    : Optional.of(
                            capture.end().describe("capture " + file.name()) + "; leave it out");
        } catch (IOException e) {
            return Optional.of("capture " + file.name() + " cannot be read: " + e.getMessage());
        }
    }
}
