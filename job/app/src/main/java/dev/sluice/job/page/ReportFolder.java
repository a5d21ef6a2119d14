package dev.sluice.job.page;

import dev.sluice.policy.TextFiles;
import dev.sluice.policy.io.SluiceException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Pages of a folder: an index, and each page by its name. Served are files of the folder itself
 * whose names end in {@code .html}, which are no links; a name is looked up in the folder's list,
 * so that no path leads elsewhere. The folder is read anew at each request.
 */
public final class ReportFolder implements PageServer.Pages {
    private static final String ENDING = ".html";

    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss 'UTC'", Locale.ROOT)
                    .withZone(ZoneOffset.UTC);

    private final Path folder;

    /** A page of the folder. */
    private record Entry(String name, Path file, Instant written, long bytes) {}

    /**
     * The pages of a folder.
     *
     * @throws SluiceException if it cannot be read
     */
    public ReportFolder(Path folder) {
        this.folder = folder;
        if (!Files.isDirectory(folder)) {
            throw new SluiceException(
                    folder + ": is no folder; name one with pages that --report wrote");
        }
        try {
            entries();
        } catch (IOException e) {
            throw new SluiceException(TextFiles.describe("folder", folder, e), e);
        }
    }

    @Override
    public PageServer.@Nullable Content at(String name) throws IOException {
        if (name.isEmpty()) {
            byte[] index = index().getBytes(StandardCharsets.UTF_8);
            return PageServer.Content.html(new ByteArrayInputStream(index));
        }
        for (Entry entry : entries()) {
            if (entry.name.equals(name)) {
                try {
                    return PageServer.Content.html(
                            Files.newInputStream(entry.file, LinkOption.NOFOLLOW_LINKS));
                } catch (NoSuchFileException e) {
                    break; // it went since the folder was listed
                }
            }
        }
        return null;
    }

    /** The pages of the folder, the newest first. */
    private List<Entry> entries() throws IOException {
        List<Entry> entries = new ArrayList<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
            for (Path file : files) {
                String name = String.valueOf(file.getFileName());
                if (name.toLowerCase(Locale.ROOT).endsWith(ENDING) && !name.startsWith(".")) {
                    BasicFileAttributes of = attributes(file);
                    if (of != null && of.isRegularFile()) {
                        entries.add(
                                new Entry(
                                        name, file, of.lastModifiedTime().toInstant(), of.size()));
                    }
                }
            }
        }
        entries.sort(Comparator.comparing(Entry::written).reversed().thenComparing(Entry::name));
        return entries;
    }

    private static @Nullable BasicFileAttributes attributes(Path file) throws IOException {
        try {
            return Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        } catch (NoSuchFileException e) {
            return null; // it went since the folder was listed
        }
    }

    private String index() throws IOException {
        StringBuilder rows = new StringBuilder();
        List<Entry> entries = entries();
        for (Entry entry : entries) {
            rows.append(
                    "<tr><td><a href=\"%s\">%s</a></td><td>%s</td><td>%,d</td></tr>%n"
                            .formatted(
                                    "./" + encoded(entry.name),
                                    escaped(entry.name),
                                    TIME.format(entry.written),
                                    entry.bytes));
        }
        return PageFile.resource("index.html")
                .replace("{{css}}", PageFile.resource("page.css"))
                .replace("{{count}}", entries.isEmpty() ? "No report yet" : "Reports")
                .replace("{{rows}}", rows);
    }

    /** A name as a part of an address, all of it but letters, digits and dots as bytes. */
    private static String encoded(String name) {
        StringBuilder text = new StringBuilder();
        for (byte one : name.getBytes(StandardCharsets.UTF_8)) {
            boolean plain =
                    one >= 'a' && one <= 'z'
                            || one >= 'A' && one <= 'Z'
                            || one >= '0' && one <= '9'
                            || one == '.'
                            || one == '-';
            text.append(plain ? "" + (char) one : "%%%02X".formatted(one & 0xff));
        }
        return text.toString();
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;")
                .replace("'", "&#39;");
    }
}
