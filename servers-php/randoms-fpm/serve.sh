#!/bin/bash
# Runs PHP-FPM and Apache httpd as one server: they start in this order, and end together. start.php sets the variables.

set -m            # Each has a process group of its own: what a terminal signals comes here alone.
ulimit -S -n 8192 # httpd has 3,072 connections to clients and 1,024 to the pools.

# #region server.stop
# SIGTERM: requests in flight are answered; what is left after 7 s is cut.
stop() {
    trap '' TERM INT
    [[ -e $PID_FILE ]] || exit 0 # httpd does not know SIGWINCH yet.
    for ((tenths = 0; tenths < 70; tenths++)); do
        [[ -e $PID_FILE ]] && kill -WINCH "$httpd" # It deletes the file when it has heard.
        kill -0 "$httpd" || break
        sleep 0.1
    done 2> /dev/null
    exit 0
}

# PHP-FPM writes what it has been given to log; its process_control_timeout cuts what is still drawing.
end() {
    kill -KILL ${httpd:+-$httpd}
    kill -QUIT "$fpm"
    for ((tenths = 0; tenths < 15; tenths++)); do
        kill -0 "$fpm" || break
        sleep 0.1
    done
    # A master may wait for who reads its log; the processes of a pool outlive a master that was killed.
    for group in $(jobs -p) $httpd $fpm; do # A signal may come before a variable is set.
        kill -KILL "-$group"
    done
    wait
    rm -f "$PID_FILE" "$FPM_SOCKET" "$DRAWS_SOCKET"
} 2> /dev/null

trap stop TERM INT
trap end EXIT
# #endregion server.stop

# What processes of the pools print comes out on PHP-FPM's standard error: here that is standard output.
setpriv --pdeathsig TERM /usr/sbin/php-fpm8.2 --nodaemonize --fpm-config "$SERVER_ROOT/fpm.conf" -c "$SERVER_ROOT" 2>&1 &
fpm=$!
until [[ -S $FPM_SOCKET && -S $DRAWS_SOCKET ]]; do
    kill -0 "$fpm" 2> /dev/null || exit 1
    sleep 0.01
done

setpriv --pdeathsig TERM /usr/sbin/apache2 -D FOREGROUND -f "$SERVER_ROOT/apache.conf" &
httpd=$!
wait -n
exit 1 # Nobody has told it to end.
