#include "CPages.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char page_css[] = {
#embed "Shared/page.css"
};
static const unsigned char icon_svg[] = {
#embed "Shared/icon.svg"
};
static const unsigned char dom_js[] = {
#embed "Shared/dom.js"
};
static const unsigned char format_js[] = {
#embed "Shared/format.js"
};
static const unsigned char frame_js[] = {
#embed "Shared/frame.js"
};
static const unsigned char widgets_js[] = {
#embed "Shared/widgets.js"
};
static const unsigned char notice_js[] = {
#embed "Shared/notice.js"
};
static const unsigned char curl_js[] = {
#embed "Shared/curl.js"
};
static const unsigned char call_js[] = {
#embed "Shared/call.js"
};
static const unsigned char constants_js[] = {
#embed "Shared/constants.js"
};
static const unsigned char home_html[] = {
#embed "Home/home.html"
};
static const unsigned char home_css[] = {
#embed "Home/home.css"
};
static const unsigned char home_js[] = {
#embed "Home/home.js"
};
static const unsigned char aes_js[] = {
#embed "Home/aes.js"
};
static const unsigned char aescrypt_js[] = {
#embed "Home/aescrypt.js"
};
static const unsigned char endpoints_js[] = {
#embed "Home/endpoints.js"
};
static const unsigned char closed_html[] = {
#embed "Home/closed.html"
};
static const unsigned char lost_html[] = {
#embed "Home/lost.html"
};
static const unsigned char closed_js[] = {
#embed "Home/closed.js"
};
static const unsigned char docs_html[] = {
#embed "Home/docs.html"
};
static const unsigned char docs_css[] = {
#embed "Home/docs.css"
};
static const unsigned char docs_js[] = {
#embed "Home/docs.js"
};
static const unsigned char camera_js[] = {
#embed "Home/camera.js"
};

static const unsigned char inspector_html[] = {
#embed "Inspector/inspector.html"
};
static const unsigned char inspector_css[] = {
#embed "Inspector/inspector.css"
};
static const unsigned char inspector_js[] = {
#embed "Inspector/inspector.js"
};
static const unsigned char control_js[] = {
#embed "Inspector/control.js"
};
static const unsigned char requests_js[] = {
#embed "Inspector/requests.js"
};
static const unsigned char opened_js[] = {
#embed "Inspector/opened.js"
};
static const unsigned char first_js[] = {
#embed "Inspector/first.js"
};
static const unsigned char share_js[] = {
#embed "Inspector/share.js"
};
static const unsigned char send_js[] = {
#embed "Inspector/send.js"
};
static const unsigned char exchange_js[] = {
#embed "Inspector/exchange.js"
};
static const unsigned char reasons_js[] = {
#embed "Inspector/reasons.js"
};
static const unsigned char state_js[] = {
#embed "Inspector/state.js"
};
static const unsigned char faults_js[] = {
#embed "Inspector/faults.js"
};
static const unsigned char data_js[] = {
#embed "Inspector/data.js"
};
static const unsigned char worlds_js[] = {
#embed "Inspector/worlds.js"
};

static const unsigned char owner_html[] = {
#embed "Owner/owner.html"
};
static const unsigned char owner_js[] = {
#embed "Owner/owner.js"
};
static const unsigned char owner_css[] = {
#embed "Owner/owner.css"
};
static const unsigned char server_js[] = {
#embed "Owner/server.js"
};
static const unsigned char overview_js[] = {
#embed "Owner/overview.js"
};
static const unsigned char actions_js[] = {
#embed "Owner/actions.js"
};
static const unsigned char attention_js[] = {
#embed "Owner/attention.js"
};
static const unsigned char backup_js[] = {
#embed "Owner/backup.js"
};
static const unsigned char photos_js[] = {
#embed "Owner/photos.js"
};
static const unsigned char reports_js[] = {
#embed "Owner/reports.js"
};
static const unsigned char tables_js[] = {
#embed "Owner/tables.js"
};
static const unsigned char user_js[] = {
#embed "Owner/user.js"
};
static const unsigned char users_js[] = {
#embed "Owner/users.js"
};
static const unsigned char door_html[] = {
#embed "Owner/door.html"
};
static const unsigned char door_js[] = {
#embed "Owner/door.js"
};
static const unsigned char why_js[] = {
#embed "Owner/why.js"
};

static const unsigned char readme_md[] = {
#embed "../../Docs/README.md"
};
static const unsigned char app_md[] = {
#embed "../../Docs/App.md"
};
static const unsigned char clients_md[] = {
#embed "../../Docs/Clients.md"
};
static const unsigned char troubleshooting_md[] = {
#embed "../../Docs/Troubleshooting.md"
};
static const unsigned char containers_md[] = {
#embed "../../Docs/Containers.md"
};
static const unsigned char vps_md[] = {
#embed "../../Docs/VPS.md"
};
static const unsigned char debian_md[] = {
#embed "../../Docs/Debian.md"
};
static const unsigned char users_md[] = {
#embed "../../Docs/Users.md"
};
static const unsigned char settings_md[] = {
#embed "../../Docs/Settings.md"
};
static const unsigned char https_md[] = {
#embed "../../Docs/HTTPS.md"
};
static const unsigned char backups_md[] = {
#embed "../../Docs/Backups.md"
};
static const unsigned char storage_md[] = {
#embed "../../Docs/Storage.md"
};
static const unsigned char monitoring_md[] = {
#embed "../../Docs/Monitoring.md"
};
static const unsigned char upgrades_md[] = {
#embed "../../Docs/Upgrades.md"
};
static const unsigned char migrating_md[] = {
#embed "../../Docs/Migrating.md"
};
static const unsigned char security_md[] = {
#embed "../../Docs/Security.md"
};
static const unsigned char limits_md[] = {
#embed "../../Docs/Limits.md"
};
static const unsigned char durability_md[] = {
#embed "../../Docs/Durability.md"
};
static const unsigned char cluster_md[] = {
#embed "../../Docs/Cluster.md"
};
static const unsigned char compatibility_md[] = {
#embed "../../Docs/Compatibility.md"
};
static const unsigned char requests_md[] = {
#embed "../../Docs/Requests.md"
};
static const unsigned char testing_md[] = {
#embed "../../Docs/Testing.md"
};
static const unsigned char architecture_md[] = {
#embed "../../Docs/Contributing/Architecture.md"
};
static const unsigned char internals_md[] = {
#embed "../../Docs/Contributing/Internals.md"
};
static const unsigned char differences_md[] = {
#embed "../../Docs/Contributing/Differences.md"
};
static const unsigned char tried_md[] = {
#embed "../../Docs/Contributing/Tried.md"
};
static const unsigned char openapi_yaml[] = {
#embed "../../Docs/openapi.yaml"
};

static const struct cpages_file files[] = {
    {"shared", "page.css", page_css, sizeof page_css},
    {"shared", "icon.svg", icon_svg, sizeof icon_svg},
    {"shared", "dom.js", dom_js, sizeof dom_js},
    {"shared", "format.js", format_js, sizeof format_js},
    {"shared", "frame.js", frame_js, sizeof frame_js},
    {"shared", "widgets.js", widgets_js, sizeof widgets_js},
    {"shared", "notice.js", notice_js, sizeof notice_js},
    {"shared", "curl.js", curl_js, sizeof curl_js},
    {"shared", "call.js", call_js, sizeof call_js},
    {"shared", "constants.js", constants_js, sizeof constants_js},
    {"home", "home.html", home_html, sizeof home_html},
    {"home", "home.css", home_css, sizeof home_css},
    {"home", "home.js", home_js, sizeof home_js},
    {"home", "aes.js", aes_js, sizeof aes_js},
    {"home", "aescrypt.js", aescrypt_js, sizeof aescrypt_js},
    {"home", "endpoints.js", endpoints_js, sizeof endpoints_js},
    {"home", "camera.js", camera_js, sizeof camera_js},
    {"home", "closed.html", closed_html, sizeof closed_html},
    {"home", "lost.html", lost_html, sizeof lost_html},
    {"home", "closed.js", closed_js, sizeof closed_js},
    {"home", "docs.html", docs_html, sizeof docs_html},
    {"home", "docs.css", docs_css, sizeof docs_css},
    {"home", "docs.js", docs_js, sizeof docs_js},
    {"home", "README.md", readme_md, sizeof readme_md},
    {"home", "App.md", app_md, sizeof app_md},
    {"home", "Clients.md", clients_md, sizeof clients_md},
    {"home", "Troubleshooting.md", troubleshooting_md, sizeof troubleshooting_md},
    {"home", "Containers.md", containers_md, sizeof containers_md},
    {"home", "VPS.md", vps_md, sizeof vps_md},
    {"home", "Debian.md", debian_md, sizeof debian_md},
    {"home", "Users.md", users_md, sizeof users_md},
    {"home", "Settings.md", settings_md, sizeof settings_md},
    {"home", "HTTPS.md", https_md, sizeof https_md},
    {"home", "Backups.md", backups_md, sizeof backups_md},
    {"home", "Storage.md", storage_md, sizeof storage_md},
    {"home", "Monitoring.md", monitoring_md, sizeof monitoring_md},
    {"home", "Upgrades.md", upgrades_md, sizeof upgrades_md},
    {"home", "Migrating.md", migrating_md, sizeof migrating_md},
    {"home", "Security.md", security_md, sizeof security_md},
    {"home", "Limits.md", limits_md, sizeof limits_md},
    {"home", "Durability.md", durability_md, sizeof durability_md},
    {"home", "Cluster.md", cluster_md, sizeof cluster_md},
    {"home", "Compatibility.md", compatibility_md, sizeof compatibility_md},
    {"home", "Requests.md", requests_md, sizeof requests_md},
    {"home", "Testing.md", testing_md, sizeof testing_md},
    {"home", "Architecture.md", architecture_md, sizeof architecture_md},
    {"home", "Internals.md", internals_md, sizeof internals_md},
    {"home", "Differences.md", differences_md, sizeof differences_md},
    {"home", "Tried.md", tried_md, sizeof tried_md},
    {"home", "openapi.yaml", openapi_yaml, sizeof openapi_yaml},
    {"inspector", "inspector.html", inspector_html, sizeof inspector_html},
    {"inspector", "inspector.css", inspector_css, sizeof inspector_css},
    {"inspector", "inspector.js", inspector_js, sizeof inspector_js},
    {"inspector", "control.js", control_js, sizeof control_js},
    {"inspector", "requests.js", requests_js, sizeof requests_js},
    {"inspector", "opened.js", opened_js, sizeof opened_js},
    {"inspector", "first.js", first_js, sizeof first_js},
    {"inspector", "share.js", share_js, sizeof share_js},
    {"inspector", "send.js", send_js, sizeof send_js},
    {"inspector", "aes.js", aes_js, sizeof aes_js},
    {"inspector", "aescrypt.js", aescrypt_js, sizeof aescrypt_js},
    {"inspector", "exchange.js", exchange_js, sizeof exchange_js},
    {"inspector", "reasons.js", reasons_js, sizeof reasons_js},
    {"inspector", "state.js", state_js, sizeof state_js},
    {"inspector", "faults.js", faults_js, sizeof faults_js},
    {"inspector", "data.js", data_js, sizeof data_js},
    {"inspector", "worlds.js", worlds_js, sizeof worlds_js},
    {"owner", "owner.html", owner_html, sizeof owner_html},
    {"owner", "owner.js", owner_js, sizeof owner_js},
    {"owner", "owner.css", owner_css, sizeof owner_css},
    {"owner", "server.js", server_js, sizeof server_js},
    {"owner", "overview.js", overview_js, sizeof overview_js},
    {"owner", "actions.js", actions_js, sizeof actions_js},
    {"owner", "attention.js", attention_js, sizeof attention_js},
    {"owner", "backup.js", backup_js, sizeof backup_js},
    {"owner", "photos.js", photos_js, sizeof photos_js},
    {"owner", "reports.js", reports_js, sizeof reports_js},
    {"owner", "tables.js", tables_js, sizeof tables_js},
    {"owner", "user.js", user_js, sizeof user_js},
    {"owner", "users.js", users_js, sizeof users_js},
    {"owner", "why.js", why_js, sizeof why_js},
    {"owner", "door.html", door_html, sizeof door_html},
    {"owner", "door.js", door_js, sizeof door_js},
};

const struct cpages_file *const cpages_files = files;
const size_t cpages_count = sizeof files / sizeof files[0];
