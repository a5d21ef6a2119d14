package dev.sluice.job.page;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.util.Collections;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Page whose numbers grow: itself, and below {@code data} its numbers and words alone, for its
 * script. The numbers are asked for and compressed anew for a request when the last ones are older
 * than {@link #FRESH_NS}, and than {@value #SHARE} times the time that they took: many browsers
 * cost no more than one.
 */
public final class LivePage implements PageServer.Pages {
    private static final long FRESH_NS = 2_000_000_000L;
    private static final int SHARE = 10;

    private final Supplier<Page> pages;
    private final List<byte[]> frame;
    private byte @Nullable [] data;
    private long untilNs;

    /**
     * A page.
     *
     * @param pages returns it as it is now; its notices are not null
     */
    public LivePage(Supplier<Page> pages) throws IOException {
        this.pages = pages;
        frame = PageFile.frame(true);
    }

    @Override
    public PageServer.@Nullable Content at(String path) throws IOException {
        return switch (path) {
            case "" -> PageServer.Content.html(whole());
            case "data" -> new PageServer.Content("text/plain", new ByteArrayInputStream(data()));
            default -> null;
        };
    }

    private InputStream whole() throws IOException {
        Stream<InputStream> parts =
                Stream.of(frame.get(0), data(), frame.get(1)).map(ByteArrayInputStream::new);
        return new SequenceInputStream(Collections.enumeration(parts.toList()));
    }

    private synchronized byte[] data() throws IOException {
        long now = System.nanoTime();
        byte[] made = data;
        if (made == null || now - untilNs >= 0) {
            made = PageFile.data(pages.get());
            data = made;
            long end = System.nanoTime();
            untilNs = end + Math.max(FRESH_NS, SHARE * (end - now));
        }
        return made;
    }
}
