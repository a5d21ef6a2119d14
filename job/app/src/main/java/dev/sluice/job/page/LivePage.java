package dev.sluice.job.page;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Page whose numbers grow: itself, and below {@code data} its numbers and words alone, for its
 * script. It is made anew for a request when the last one is older than {@link #FRESH_NS}, and than
 * {@value #SHARE} times the time that it took to make: many browsers cost no more than one.
 */
public final class LivePage implements PageServer.Pages {
    private static final long FRESH_NS = 2_000_000_000L;
    private static final int SHARE = 10;

    private final Supplier<Page> pages;
    private String data = "";
    private Page page;
    private long untilNs;

    /**
     * A page.
     *
     * @param pages returns it as it is now; its notices are not null
     */
    public LivePage(Supplier<Page> pages) {
        this.pages = pages;
        page = pages.get();
        untilNs = System.nanoTime();
    }

    @Override
    public PageServer.@Nullable Content at(String path) throws IOException {
        return switch (path) {
            case "" -> PageServer.Content.html(bytes(PageFile.text(page())));
            case "data" -> new PageServer.Content("text/plain", bytes(data()));
            default -> null;
        };
    }

    private static ByteArrayInputStream bytes(String text) {
        return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
    }

    private synchronized Page page() throws IOException {
        long now = System.nanoTime();
        if (now - untilNs >= 0) {
            page = pages.get();
            data = PageFile.data(page);
            long end = System.nanoTime();
            untilNs = end + Math.max(FRESH_NS, SHARE * (end - now));
        }
        return page;
    }

    private synchronized String data() throws IOException {
        page();
        return data;
    }
}
