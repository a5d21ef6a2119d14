package dev.sluice.job.flink;

import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.JobManagerOptions;
import org.apache.flink.configuration.RestOptions;
import org.apache.flink.configuration.WebOptions;

/** Settings that keep other machines and web pages of other origins from a Flink cluster. */
public final class WebInterface {
    private WebInterface() {}

    /**
     * Binds a JobManager to an address and allows the web interface's own pages only.
     *
     * @param host name or address of this machine to listen on
     * @param origin of the web interface, as {@code http://HOST:PORT}
     * @param control whether its pages may upload and run jars and cancel jobs
     */
    public static void protect(Configuration config, String host, String origin, boolean control) {
        config.set(JobManagerOptions.BIND_HOST, host);
        config.set(RestOptions.ADDRESS, host);
        config.set(RestOptions.BIND_ADDRESS, host);
        config.set(WebOptions.ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        config.set(WebOptions.SUBMIT_ENABLE, control);
        config.set(WebOptions.CANCEL_ENABLE, control);
    }
}
