package dev.sluice.job.submit;

import dev.sluice.job.UsageException;
import dev.sluice.policy.io.SluiceException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.UnknownHostException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** REST endpoint of a running Flink cluster. */
public record FlinkAddress(String host, int port) {
    private static final int CONNECT_MILLIS = 5_000;
    private static final int MOST_PORT = 65_535;
    private static final Pattern FORM = Pattern.compile("(.+):(\\d{1,5})");

    /**
     * Reads {@code HOST:PORT}.
     *
     * @throws UsageException if it is no {@code HOST:PORT}
     */
    public static FlinkAddress parse(String text) {
        Matcher parts = FORM.matcher(text);
        if (!parts.matches() || Integer.parseInt(parts.group(2)) > MOST_PORT) {
            throw new UsageException(
                    text + " is no address; write HOST:PORT of the JobManager's REST endpoint");
        }
        return new FlinkAddress(parts.group(1), Integer.parseInt(parts.group(2)));
    }

    /**
     * Connects once: Flink's own client tries for more than a minute before it gives up.
     *
     * @throws SluiceException if nobody answers within seconds
     */
    void requireAnswer() {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(host, port), CONNECT_MILLIS);
        } catch (IOException e) {
            throw new SluiceException(
                    "nobody answers at --flink %s (%s); start the cluster, or name its REST endpoint"
                            .formatted(
                                    this,
                                    e instanceof UnknownHostException
                                            ? "the host is unknown"
                                            : e.getMessage()),
                    e);
        }
    }

    /** As it is given: {@code HOST:PORT}. */
    @Override
    public String toString() {
        return host + ":" + port;
    }
}
